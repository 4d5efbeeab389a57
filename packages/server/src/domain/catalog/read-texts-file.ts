import type { ReadTexts } from './texts-file.ts';

/** Reads CSV or XLIFF 2, told apart by file name or content. Loads only the parser it needs. */
export async function readTextsFile(text: string, name = ''): Promise<ReadTexts> {
  const isXml = /\.(xlf|xliff|xml)$/i.test(name) || /^\ufeff?\s*</.test(text);
  return isXml
    ? (await import('./read-xliff.ts')).readTextsXliff(text)
    : (await import('./read-csv.ts')).readTextsCsv(text);
}
