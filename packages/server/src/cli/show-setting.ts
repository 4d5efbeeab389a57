import {
  type ApplicationSettings,
  SETTING_NAMES,
  SETTINGS,
  type SettingName,
} from '../domain/applications/settings.ts';
import { dim } from './print.ts';
import { showDuration } from './time.ts';

/** A row each: name, value, and what it means; what is as it came is dimmed. */
export function settingRows(settings: ApplicationSettings, changed: ReadonlySet<string>): string[][] {
  return SETTING_NAMES.map((name) => {
    const value = showSetting(name, settings[name]);
    return [name, changed.has(name) ? value : dim(`${value} (default)`), dim(SETTINGS[name].describe)];
  });
}

/** For help and for whoever mistyped one. */
export function settingsGuide(): string[][] {
  return [
    ['name', 'what people call the application, 1 to 255 characters'],
    ...SETTING_NAMES.map((name) => [name, `${SETTINGS[name].describe} [${showSetting(name, SETTINGS[name].default)}]`]),
  ];
}

function showSetting(name: SettingName, value: ApplicationSettings[SettingName]): string {
  if (name.endsWith('Ttl')) return showDuration(value as number);
  if (Array.isArray(value)) return value.join(', ') || 'none';
  return String(value);
}
