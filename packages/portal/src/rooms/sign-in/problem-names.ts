/** As the service names them in the page's URL. */
export const PROBLEMS = {
  unverified: 'unverified',
  domain: 'domain',
  'other-identity': 'otherIdentity',
  unreachable: 'unreachable',
  refused: 'refused',
  cancelled: 'cancelled',
  expired: 'expired',
  busy: 'busy',
  off: 'off',
} as const;

export type ProviderProblemName = keyof typeof PROBLEMS;

export function isProviderProblem(name: unknown): name is ProviderProblemName {
  return typeof name === 'string' && Object.hasOwn(PROBLEMS, name);
}
