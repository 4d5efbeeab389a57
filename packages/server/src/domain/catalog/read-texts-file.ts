import type { ReadTexts } from './texts-file.ts';

/** CSV or XLIFF 2, told apart by the name of the file or by how it begins. Only what reads that one is loaded. */
export async function readTextsFile(text: string, name = ''): Promise<ReadTexts> {
  const isXml = /\.(xlf|xliff|xml)$/i.test(name) || /^\ufeff?\s*</.test(text);
  return isXml
    ? (await import('./read-xliff.ts')).readTextsXliff(text)
    : (await import('./read-csv.ts')).readTextsCsv(text);
}
