import { html } from '../preferences/html.ts';
import type { UserExport } from './export-user.ts';

/** The same as a page to read and save: one file without scripts, which loads nothing. */
export async function* writeUserPage(exported: UserExport): AsyncGenerator<string> {
  const { clientId, user } = exported;
  const { clientUserName } = user;
  yield html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${clientUserName}</title><style>
:root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}table{border-collapse:collapse;width:100%}th,td{border:1px solid #8888;padding:.4rem .6rem;text-align:start;vertical-align:top;overflow-wrap:anywhere}pre{white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid #8888;padding:.6rem}
</style></head><body><main><h1 dir="auto">${clientUserName}</h1>
<h2>Profile</h2>`.text;
  yield* table(['Field', 'Value'], Object.entries({ ...user, clientId }), (fact) => fact);
  yield '\n<h2>Selections</h2>';
  yield* table(['Group', 'Key', 'Value', 'First saved', 'Last saved'], exported.options, (each) => [
    ...[each.groupName, each.keyName, each.texts ?? each.value, each.createdAt, each.updatedAt],
  ]);
  yield '\n<h2>History</h2>';
  yield* table(['Time', 'Group', 'Key', 'From', 'To', 'By'], exported.history, (each) => [
    ...[each.at, each.groupName, each.keyName, each.fromValue, each.toValue, each.actor ?? each.by],
  ]);
  yield '\n<h2>Access tokens</h2>';
  yield* table(['Id', 'Issued', 'Expires'], exported.accessTokens, (each) => [
    ...[each.tokenId, each.issuedAt, each.expiresAt],
  ]);
  yield '\n<h2>Receipts</h2>';
  for await (const receipt of exported.receipts) yield html`<pre>${receipt}</pre>`.text;
  yield '\n<h2>Events</h2>';
  yield* table(['Id', 'Time', 'Type', 'Data'], exported.events, (each) => [
    ...[each.id, each.timestamp, each.type, each.data],
  ]);
  yield '\n</main></body></html>\n';
}

async function* table<T>(
  names: readonly string[],
  rows: Iterable<T> | AsyncIterable<T>,
  cellsOf: (row: T) => readonly unknown[],
): AsyncGenerator<string> {
  let isEmpty = true;
  for await (const row of rows) {
    if (isEmpty) {
      yield html`<table><thead><tr>${names.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead><tbody>`.text;
    }
    isEmpty = false;
    yield html`<tr>${cellsOf(row).map((cell) => html`<td dir="auto">${written(cell)}</td>`)}</tr>`.text;
  }
  yield isEmpty ? '<p>None.</p>' : '</tbody></table>';
}

function written(cell: unknown): string {
  if (cell === null || cell === undefined) return '–';
  return typeof cell === 'string' ? cell : JSON.stringify(cell);
}
