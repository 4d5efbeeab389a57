import {
  type ApplicationSettings,
  SETTING_NAMES,
  SETTINGS,
  type SettingName,
} from '../domain/applications/settings.ts';
import { dim } from './print.ts';
import { showDuration } from './time.ts';

/** Name and value, with the meaning below; `changed` are those that differ from their defaults. */
export function settingRows(
  settings: ApplicationSettings,
  changed: readonly string[],
  names: readonly SettingName[] = SETTING_NAMES,
): string[][] {
  return names.flatMap((name) => [
    [name, showSetting(name, settings[name]) + (changed.includes(name) ? '' : dim(' (default)'))],
    ['', dim(SETTINGS[name].describe)],
  ]);
}

/** For help, and after a typo. */
export function settingsGuide(): string[][] {
  return [
    ['name', 'display name of the application, 1 to 255 characters'],
    ...SETTING_NAMES.map((name) => [
      name,
      `${SETTINGS[name].describe}; default: ${showSetting(name, SETTINGS[name].default)}`,
    ]),
  ];
}

function showSetting(name: SettingName, value: ApplicationSettings[SettingName]): string {
  if (name.endsWith('Ttl')) return showDuration(value as number);
  if (name.endsWith('Kept') && value !== 0) return `${value}d`;
  if (Array.isArray(value)) return value.join(', ') || 'none';
  if (value === '') return 'none';
  if (name === 'logo') return showLogo(value as string);
  return String(value);
}

function showLogo(dataUrl: string): string {
  const [type, base64 = ''] = dataUrl.slice('data:'.length).split(';base64,');
  return `${type}, ${Buffer.byteLength(base64, 'base64')} bytes`;
}
