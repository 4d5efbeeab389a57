import { Text, VisuallyHidden } from '@mantine/core';
import type { MouseEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { Flag } from '../api/flag.ts';
import classes from './moment.module.css';
import { Tip } from './tip.tsx';

const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

/** The service writes UTC as `YYYY-MM-DD HH:MM:SS`; events use RFC 3339. */
export function readTime(text: string): Date {
  return new Date(text.endsWith('Z') ? text : `${text.replace(' ', 'T')}Z`);
}

/** Dates as the reader's region writes them, in the portal's language: "en" alone would be American. */
export function dateLocale(language: string): string {
  return navigator.languages.find((tag) => tag.startsWith(`${language}-`)) ?? language;
}

const STORED = 'innkeeper-exact-times';
const exactTimes = new Flag(localStorage.getItem(STORED) === 'true');

/** Whether times are shown exactly: for keyboards, which reach no tooltip, and for those who compare them with logs. */
export function useExactTimes(): [isExact: boolean, setExact: (isExact: boolean) => void] {
  const setExact = (isExact: boolean) => {
    localStorage.setItem(STORED, String(isExact));
    exactTimes.set(isExact);
  };
  return [exactTimes.use(), setExact];
}

type Formats = { exact: Intl.DateTimeFormat; since: Intl.RelativeTimeFormat };
const formats = new Map<string, Formats>();

/** Making them takes longer than all else of a time in a list. */
function formatsOf(language: string): Formats {
  const made = formats.get(language) ?? {
    exact: new Intl.DateTimeFormat(dateLocale(language), { dateStyle: 'medium', timeStyle: 'medium' }),
    since: new Intl.RelativeTimeFormat(language, { numeric: 'auto' }),
  };
  formats.set(language, made);
  return made;
}

/** "5 minutes ago", with the exact time in the reader's time zone: in a tooltip, and for screen readers. */
export function Moment({ at }: { at: string }) {
  const { i18n } = useTranslation();
  const [isExact] = useExactTimes();
  const date = readTime(at);
  const formats = formatsOf(i18n.language);
  const exact = formats.exact.format(date);
  const since = sinceNow(date, formats.since);
  return (
    <Tip label={isExact ? since : exact}>
      <Text component="time" inherit dateTime={date.toISOString()} span>
        {isExact ? exact : since}
        {!isExact && <VisuallyHidden className={classes.unselected ?? ''}> ({exact})</VisuallyHidden>}
      </Text>
    </Tip>
  );
}

function sinceNow(date: Date, format: Intl.RelativeTimeFormat): string {
  const seconds = Math.round((date.getTime() - Date.now()) / 1000);
  const [unit, size] = UNITS.find(([, each]) => Math.abs(seconds) >= each) ?? ['second', 1];
  return format.format(Math.round(seconds / size), unit);
}

/**
 * For rows that are covered by a link or a button. Their times lie above it because they have tooltips, so a click on
 * one is passed on.
 */
export function openFromTime({ target, currentTarget }: MouseEvent<HTMLElement>): void {
  if (target instanceof Element && target.closest('time'))
    currentTarget.querySelector<HTMLElement>('a, button')?.click();
}
