export type Sample = {
  groupUid: string;
  groupName: string;
  keyUid: string;
  keyName: string;
  value: readonly Scalar[];
};
export type Scalar = string | number | boolean;

export type SnippetFacts = {
  /** The service's address, without a trailing slash. */
  base: string;
  clientId: string;
  /** Something that can be chosen; undefined: the catalog is empty. */
  sample: Sample | undefined;
  /** As typed into the page; without it, SECRET is used. */
  secret?: string | undefined;
};

/** The placeholder for the secret in the snippets: only the application knows it. */
export const SECRET = 'YOUR_CLIENT_SECRET';

/** For a comment, which must not contain line breaks. */
export function oneLine(name: string): string {
  return name.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ');
}
