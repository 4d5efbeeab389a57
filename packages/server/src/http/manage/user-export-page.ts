import { type Html, html } from '../preferences/html.ts';
import type { UserExport } from './export-user.ts';

/** The same as a page that people can read and keep: one file without scripts, which loads nothing. */
export function writeUserPage({ clientId, user, accessTokens, options, history, receipts }: UserExport): string {
  const { userUid, clientUserId, clientUserName, email, status, createdAt, updatedAt } = user;
  const facts = { userUid, clientUserId, clientUserName, email, status, createdAt, updatedAt, clientId };
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${clientUserName}</title><style>
:root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}table{border-collapse:collapse;width:100%}th,td{border:1px solid #8888;padding:.4rem .6rem;text-align:start;vertical-align:top;overflow-wrap:anywhere}pre{white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid #8888;padding:.6rem}
</style></head><body><main><h1 dir="auto">${clientUserName}</h1>
<h2>Profile</h2>${table(['Field', 'Value'], Object.entries(facts))}
<h2>Selections</h2>${table(
    ['Group', 'Key', 'Value', 'First saved', 'Last saved'],
    options.map((each) => [each.groupName, each.keyName, each.texts ?? each.value, each.createdAt, each.updatedAt]),
  )}
<h2>History</h2>${table(
    ['Time', 'Group', 'Key', 'From', 'To', 'By'],
    history.map((each) => [each.at, each.groupName, each.keyName, each.fromValue, each.toValue, each.actor ?? each.by]),
  )}
<h2>Access tokens</h2>${table(
    ['Id', 'Issued', 'Expires'],
    accessTokens.map(({ tokenId, issuedAt, expiresAt }) => [tokenId, issuedAt, expiresAt]),
  )}
<h2>Receipts</h2>${receipts.map((receipt) => html`<pre>${receipt}</pre>`)}
</main></body></html>
`.text;
}

function table(names: readonly string[], rows: readonly (readonly unknown[])[]): Html {
  if (rows.length === 0) return html`<p>None.</p>`;
  return html`<table><thead><tr>${names.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead><tbody>${rows.map(
    (row) => html`<tr>${row.map((cell) => html`<td dir="auto">${written(cell)}</td>`)}</tr>`,
  )}</tbody></table>`;
}

function written(cell: unknown): string {
  if (cell === null || cell === undefined) return '–';
  return typeof cell === 'string' ? cell : JSON.stringify(cell);
}
