const KEY = 'innkeeper-invitation';

/** While somebody is at the OpenID provider: the token of an invitation goes to no server but with its own request. */
export function keepInvitation(token: string): void {
  sessionStorage.setItem(KEY, token);
}

export function keptInvitation(): string {
  return sessionStorage.getItem(KEY) ?? '';
}

export function forgetInvitation(): void {
  sessionStorage.removeItem(KEY);
}
