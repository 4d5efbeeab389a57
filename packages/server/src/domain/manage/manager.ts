import type { SignedIn } from '../accounts/sign-in.ts';
import type { Access } from './access.ts';

/** Who is at work in /manage/v1, and on what: a program with a personal access token, or a person in the portal. */
export type Manager = {
  /** As revisions name who made them. */
  author: string;
  /** Whose session or token it is; null: the operator's. */
  accountId: string | null;
  /** undefined: the application looks like one that does not exist. */
  accessTo(appId: number): Access | undefined;
  /** The languages whose texts they may change there, by tag; null: all. */
  languagesOf(appId: number): readonly string[] | null;
  canCreateApplications: boolean;
  /** Of a token: what it makes ends no later. */
  expiresAt?: number;
  /** Of a person in the portal; a program has none. */
  signedIn?: SignedIn;
};
