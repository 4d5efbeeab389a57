/** Secrets that were made in this tab, until it is loaded anew: whoever saw one a moment ago need not paste it. */
const made = new Map<string, string>();

export function rememberSecret(clientId: string, clientSecret: string): void {
  made.set(clientId, clientSecret);
}

export function madeSecret(clientId: string): string | undefined {
  return made.get(clientId);
}
