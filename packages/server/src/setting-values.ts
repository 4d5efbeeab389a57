import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { behindLinks } from './behind-links.ts';
import { codeOf } from './caught.ts';
import { parseDuration } from './domain/duration.ts';
import type { DatabasePlace } from './secret-file.ts';
import { AREAS, type Area } from './service-settings.ts';

export function readInteger(text: string, min: number, max: number): number | undefined {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : undefined;
}

/** A number of KiB, MiB or GiB, at least 0. */
export function readBytes(text: string): number | undefined {
  const [, number, unit] = /^(\d{1,7}) ?(KiB|MiB|GiB)$/.exec(text) ?? [];
  if (number === undefined) return undefined;
  return Number(number) * 1024 ** (['KiB', 'MiB', 'GiB'].indexOf(unit as string) + 1);
}

export function readSwitch(text: string): boolean | undefined {
  return text === 'on' ? true : text === 'off' ? false : undefined;
}

/**
 * SQLite keeps its write-ahead log next to the real file, so every part of the service uses the path behind the links.
 */
export function readDatabasePlace(text: string): DatabasePlace | undefined {
  if (/^postgres(ql)?:\/\/./.test(text)) return { databaseUrl: text, databaseLink: undefined };
  if (text === 'sqlite::memory:' || !/^sqlite:./.test(text)) return undefined;
  const given = resolve(text.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, ''));
  try {
    const path = behindLinks(given);
    return { databaseUrl: `sqlite:${path}`, databaseLink: path === given ? undefined : given };
  } catch (error) {
    if (codeOf(error) === 'ELOOP') return undefined;
    // For example, the folder cannot be read: opening the file reports it.
    return { databaseUrl: `sqlite:${given}`, databaseLink: undefined };
  }
}

export function readScrub(text: string): number | 'off' | undefined {
  if (text === 'off') return text;
  const seconds = /\d[hd]$/.test(text) ? parseDuration(text) : undefined;
  return seconds !== undefined && seconds >= 3600 && seconds <= 365 * 86_400 ? seconds * 1000 : undefined;
}

export function readWait(text: string): number | undefined {
  const seconds = parseDuration(text);
  return seconds !== undefined && seconds <= 3600 ? seconds * 1000 : undefined;
}

export function readPublicUrl(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username) return undefined;
  return url.href.replace(/\/$/, '');
}

export function readAreas(text: string): Set<Area> | undefined {
  const names = readList(text);
  const areas = new Set(AREAS.filter((area) => names.includes(area)));
  return names.length > 0 && names.every((name) => areas.has(name as Area)) ? areas : undefined;
}

export function readNetworks(text: string): string[] | undefined {
  const networks = readList(text);
  const isNetwork = (network: string): boolean => {
    const [address = '', bits, ...more] = network.split('/');
    const longest = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
    return (
      more.length === 0 &&
      longest > 0 &&
      !address.includes('%') &&
      (bits === undefined || readInteger(bits, 0, longest) !== undefined)
    );
  };
  return networks.every(isNetwork) ? networks : undefined;
}

export function readList(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
}
