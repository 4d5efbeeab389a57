import { type Config, isWeakSecret, unsafeSettings } from '../../config.ts';
import { type Check, failed, passed } from './check.ts';

/** What `serve` would refuse. The secret has a line of its own: it matters most, and see database.ts for its other half. */
export function checkSettings(config: Config): Check[] {
  const unsafe = unsafeSettings(config).map(splitWayOut);
  const aboutSecret = unsafe.filter(({ detail }) => detail.startsWith('INNKEEPER_SECRET '));
  const others = unsafe.filter((problem) => !aboutSecret.includes(problem));
  return [
    ...(others.length === 0 ? [passed('settings', 'nothing unsafe')] : []),
    ...others.map(({ detail, wayOut }) => failed('settings', detail, wayOut)),
    ...(isWeakSecret(config.secret) ? [] : [passed('secret', 'strong')]),
    ...aboutSecret.map(({ detail, wayOut }) => failed('secret', detail, wayOut)),
  ];
}

/** Each problem is told in one text whose last sentence is the way out. */
export function splitWayOut(problem: string): { detail: string; wayOut: string } {
  const at = problem.lastIndexOf('. ') + 1;
  return at > 0
    ? { detail: problem.slice(0, at), wayOut: problem.slice(at + 1) }
    : { detail: problem, wayOut: 'See: innkeeper serve --help' };
}
