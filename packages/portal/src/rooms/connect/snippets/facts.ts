export type Sample = {
  groupUid: string;
  groupName: string;
  keyUid: string;
  keyName: string;
  value: readonly Scalar[];
};
export type Scalar = string | number | boolean;

export type SnippetFacts = {
  /** Of the service, without a slash at its end. */
  base: string;
  clientId: string;
  /** Something that can be chosen; undefined: the catalog has nothing yet. */
  sample: Sample | undefined;
  /** As it was typed into the page; without it, SECRET stands in its place. */
  secret?: string | undefined;
};

/** What stands in the snippets where the secret belongs: nobody but the application knows it. */
export const SECRET = 'YOUR_CLIENT_SECRET';

/** In a comment, where a line must not end before its time. */
export function oneLine(name: string): string {
  return name.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ');
}
