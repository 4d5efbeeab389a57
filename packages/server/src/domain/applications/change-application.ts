import { isDeepStrictEqual } from 'node:util';
import type { ApplicationRecord } from '../../storage/port.ts';
import { whyMissing } from '../required.ts';
import { SETTING_NAMES, SETTINGS, type SettingName } from './settings.ts';

/** What to make of an application's name and settings; undefined puts a setting back to its default. */
export type ApplicationChange = { name?: string; settings: Partial<Record<SettingName, unknown>> };

/**
 * Checks everything before anything is changed: the change, or every reason why it cannot be. A text
 * that is empty resets a setting; a name has nothing to go back to.
 */
export function readChange(
  wanted: Iterable<readonly [key: string, text: string]>,
): { change: ApplicationChange } | { problems: string[] } {
  const change: ApplicationChange = { settings: {} };
  const problems: string[] = [];
  const seen = new Set<string>();
  for (const [key, text] of wanted) {
    if (seen.has(key)) problems.push(`${key} is given twice.`);
    seen.add(key);
    if (key === 'name') {
      const problem = whyMissing(text);
      if (problem) problems.push(`name ${problem}.`);
      else change.name = text;
    } else if (isSettingName(key)) {
      const read = text === '' ? { value: undefined } : SETTINGS[key].read(text);
      if ('problem' in read) problems.push(`${key} ${read.problem}; "${text}" does not do.`);
      else change.settings[key] = read.value;
    } else {
      problems.push(`"${key}" is not a setting of an application.`);
    }
  }
  return problems.length > 0 ? { problems } : { change };
}

/** The settings as they are to be stored after the change: those that differ from their defaults. */
export function applyChange(stored: ApplicationRecord['settings'], change: ApplicationChange): Record<string, unknown> {
  const settings = { ...stored };
  for (const name of SETTING_NAMES) {
    if (!(name in change.settings)) continue;
    const value = change.settings[name];
    if (value === undefined || isDeepStrictEqual(value, SETTINGS[name].default)) delete settings[name];
    else settings[name] = value;
  }
  return settings;
}

function isSettingName(key: string): key is SettingName {
  return Object.hasOwn(SETTINGS, key);
}
