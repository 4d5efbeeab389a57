/** Secrets created or typed in this tab, until it is reloaded: no one has to paste one twice. */
const made = new Map<string, string>();
const typed = new Map<string, string>();

export function rememberSecret(clientId: string, clientSecret: string): void {
  made.set(clientId, clientSecret);
  typed.delete(clientId);
}

export function madeSecret(clientId: string): string | undefined {
  return made.get(clientId);
}

export function rememberTyped(clientId: string, text: string): void {
  typed.set(clientId, text);
}

/** The one typed last, else the one created. */
export function knownSecret(clientId: string): string {
  return typed.get(clientId) ?? made.get(clientId) ?? '';
}
