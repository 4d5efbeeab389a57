import type { TextIssue } from './text-row.ts';

/** The room's part of the URL: which texts are shown. At most one of `missing` and the like: a tag, or `any`. */
export type TranslationsSearch = { search?: string; group?: string } & { [Name in TextIssue]?: string };

export const TEXT_ISSUES = ['missing', 'outdated', 'unreviewed'] as const satisfies readonly TextIssue[];

export function readTranslationsSearch(raw: Record<string, unknown>): TranslationsSearch {
  const read = (name: keyof TranslationsSearch) => {
    const value = raw[name];
    return typeof value === 'string' && value !== '' ? { [name]: value } : {};
  };
  const issue = TEXT_ISSUES.find((name) => typeof raw[name] === 'string');
  return { ...read('search'), ...read('group'), ...(issue && read(issue)) };
}
