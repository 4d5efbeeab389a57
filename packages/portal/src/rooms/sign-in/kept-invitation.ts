const KEY = 'innkeeper-invitation';

/** While someone is at the OpenID provider: an invitation's token is only ever sent in its own request. */
export function keepInvitation(token: string): void {
  sessionStorage.setItem(KEY, token);
}

export function keptInvitation(): string {
  return sessionStorage.getItem(KEY) ?? '';
}

export function forgetInvitation(): void {
  sessionStorage.removeItem(KEY);
}
