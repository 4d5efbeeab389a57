import type { Page } from 'playwright-core';
import type { Role } from '../../packages/server/src/storage/port.ts';
import { editor } from '../../packages/server/test/manage/manage.ts';
import { memberWith } from '../../packages/server/test/portal/portal.ts';
import type { Portal } from '../portal.ts';

/** The names of new groups and keys cannot contain `.`, `/` or `=`. */
export const EVIL_NAME = '<script>alert(1)<script>{{constructor}}';
export const EVIL = '<img src=x onerror="document.title=1"><script>alert(1)</script>{{constructor}}';

export const CATALOG = {
  languages: [
    { name: 'English', tag: 'en', default: true },
    { name: 'Deutsch', tag: 'de' },
    { name: 'العربية', tag: 'ar' },
  ],
  groups: [
    {
      name: 'kitchen',
      translations: { English: 'Kitchen' },
      keys: Array.from({ length: 40 }, (_, index) => ({
        name: `key ${String(index).padStart(2, '0')}`,
        type: 'boolean',
        translations: { English: `Question ${index}`, ...(index === 0 && { Deutsch: 'Frage 0' }) },
      })),
    },
    {
      name: 'fruit',
      keys: [
        { name: 'kind', type: 'string', values: [{ value: 'apple', translations: { Deutsch: 'Apfel' } }, 'pear'] },
      ],
    },
  ],
};

type Options = Parameters<Portal['visit']>[1] & { role?: Role; query?: string };

/** Opens the translations of a new application as an account with this role. */
export async function enter(
  portal: Portal,
  file: unknown = CATALOG,
  { role = 'owner', query = '', ...options }: Options = {},
) {
  const made = await editor(portal.server, file);
  const { clientId, appId } = made.application;
  const { cookie } = await memberWith(portal.server, [{ appId, role }]);
  const address = `/portal/applications/${clientId}/translations`;
  const { page, pageErrors } = await portal.visit(`${address}${query}`, { cookie, ...options });
  const draft = async (path: string) => {
    const { json } = await made.get('/catalog/translations?draft=true&limit=500');
    return (json.items as { path: string; texts: Record<string, string> }[]).find((row) => row.path === path)?.texts;
  };
  return { ...made, address, page, pageErrors, draft };
}

export const cell = (page: Page, row: string, column: number) =>
  page.getByRole('row', { name: row, exact: false }).getByRole('gridcell').nth(column);
export const saved = (page: Page) => page.getByText('All changes saved to draft').waitFor();
export const paste = async (page: Page, text: string) => {
  await page.evaluate((words) => navigator.clipboard.writeText(words), text);
  await page.keyboard.press('ControlOrMeta+v');
};
