import { BackupDamaged, type BackupFile } from '../../storage/port.ts';
import { SECRET_FACT } from '../check-secret.ts';
import type { Keyring } from '../keyring.ts';
import { summarizeTable } from './summarize-table.ts';

/** Reads every row. Throws BackupDamaged if they do not match the manifest. */
export async function checkRows(
  { manifest, tables, rows }: BackupFile,
  onRows: (count: number) => void | Promise<void>,
): Promise<void> {
  if (manifest.tables.length !== tables.length) throw new BackupDamaged('its list of tables is not whole');
  const listed = new Map(manifest.tables.map((table) => [table.name, table]));
  for (const table of tables) {
    const found = await summarizeTable(table, rows, onRows);
    const wanted = listed.get(table.name);
    if (found.hash !== wanted?.hash || found.rows !== wanted.rows) {
      throw new BackupDamaged(`the rows of ${table.name} are not those that were written`);
    }
  }
}

/** Whether the hashed and sealed data in a backup can be used with the current secret. */
export async function secretFits({ tables, rows }: BackupFile, keyring: Keyring): Promise<boolean> {
  const facts = tables.find(({ name }) => name === 'facts');
  if (!facts) return true;
  const [name, value] = [facts.columns.indexOf('name'), facts.columns.indexOf('value')];
  for await (const page of rows(facts)) {
    const fact = page.find((row) => row[name] === SECRET_FACT);
    if (fact) return keyring.unseal(String(fact[value])) !== undefined;
  }
  // Nothing was ever hashed in it.
  return true;
}
