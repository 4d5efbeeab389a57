import { createHash } from 'node:crypto';
import type { RowPages, StoredRow, TableShape, TableSummary } from '../../storage/port.ts';

/** Counts and hashes a table as its rows pass, in key order: equal summaries mean equal rows. */
export class TableDigest {
  readonly #name: string;
  readonly #hash = createHash('sha256');
  #rows = 0;

  constructor({ name, columns }: TableShape) {
    this.#name = name;
    this.#hash.update(JSON.stringify(columns));
  }

  add(rows: readonly StoredRow[]): void {
    this.#rows += rows.length;
    let text = '';
    // Bytes become an array of one, so that they are never mistaken for a text.
    for (const row of rows)
      text += `\n${JSON.stringify(row.map((value) => (isBytes(value) ? [toText(value)] : value)))}`;
    this.#hash.update(text);
  }

  summary(): TableSummary {
    return { name: this.#name, rows: this.#rows, hash: this.#hash.copy().digest('hex') };
  }
}

export async function summarizeTable(
  table: TableShape,
  rows: RowPages,
  onRows: (count: number) => void | Promise<void>,
): Promise<TableSummary> {
  const digest = new TableDigest(table);
  for await (const page of rows(table)) {
    digest.add(page);
    await onRows(page.length);
  }
  return digest.summary();
}

function isBytes(value: StoredRow[number]): value is Uint8Array {
  return value instanceof Uint8Array;
}

function toText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
