import { readTextsXliff } from './read-xliff.ts';
import { readTextsCsv } from './texts-csv.ts';
import type { ReadTexts } from './texts-file.ts';

/** CSV or XLIFF 2, told apart by the name of the file or by how it begins. */
export function readTextsFile(text: string, name = ''): ReadTexts {
  const isXml = /\.(xlf|xliff|xml)$/i.test(name) || /^\ufeff?\s*</.test(text);
  return isXml ? readTextsXliff(text) : readTextsCsv(text);
}
