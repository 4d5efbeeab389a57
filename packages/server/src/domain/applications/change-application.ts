import { isDeepStrictEqual } from 'node:util';
import type { ApplicationUpdate } from '../../storage/port.ts';
import type { CompiledCatalog } from '../catalog/compile.ts';
import { displayNameProblem } from '../required.ts';
import { findNamedKey } from '../users/key-names.ts';
import { SETTING_NAMES, SETTINGS, type SettingName } from './settings.ts';

/** A change to an application's name and settings; undefined resets a setting to its default. */
export type ApplicationChange = { name?: string; settings: Partial<Record<SettingName, unknown>> };

export type ChangeProblem = {
  field: string;
  /** Worded to follow the field's name. */
  message: string;
};

/**
 * Checks everything before anything is changed: returns the change, or every reason against it. An empty string or null
 * resets a setting; a name cannot be reset.
 */
export function readChange(
  wanted: Iterable<readonly [key: string, value: unknown]>,
): { change: ApplicationChange } | { problems: ChangeProblem[] } {
  const change: ApplicationChange = { settings: {} };
  const problems: ChangeProblem[] = [];
  const refuse = (field: string, message: string) => problems.push({ field, message });
  const seen = new Set<string>();
  for (const [key, value] of wanted) {
    if (seen.has(key)) refuse(key, 'is given twice');
    seen.add(key);
    if (key === 'name') {
      const problem = displayNameProblem(value);
      if (problem) refuse(key, problem);
      else change.name = value as string;
    } else if (isSettingName(key)) {
      const read = value === '' || value === null ? { value: undefined } : SETTINGS[key].read(value);
      if ('problem' in read) refuse(key, `${read.problem}; got ${quote(value)}`);
      else change.settings[key] = read.value;
    } else {
      refuse(key, 'is not a setting of an application');
    }
  }
  return problems.length > 0 ? { problems } : { change };
}

/** What to store and what to delete: only settings that differ from their default are stored. */
export function toUpdate({ name, settings }: ApplicationChange): ApplicationUpdate {
  const set: Record<string, unknown> = {};
  const reset: SettingName[] = [];
  for (const setting of SETTING_NAMES) {
    if (!(setting in settings)) continue;
    const value = settings[setting];
    if (value === undefined || isDeepStrictEqual(value, SETTINGS[setting].default)) reset.push(setting);
    else set[setting] = value;
  }
  return { ...(name !== undefined && { name }), set, reset };
}

const MAX_QUOTED = 200;

function quote(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text;
}

function isSettingName(key: string): key is SettingName {
  return Object.hasOwn(SETTINGS, key);
}

/** Checks a change against the catalog: tokens can include only keys that exist. */
export function catalogProblems({ settings }: ApplicationChange, catalog: CompiledCatalog): ChangeProblem[] {
  const unknown = ((settings.tokenClaims ?? []) as string[]).filter((name) => {
    const found = findNamedKey(catalog, name);
    return !found || found === 'ambiguous' || found.key.archived;
  });
  return unknown.map((name) => ({ field: 'tokenClaims', message: `names no option key: "${name.slice(0, 100)}"` }));
}
