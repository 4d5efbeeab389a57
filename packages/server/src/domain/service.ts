import type { Problem, Storage } from '../storage/port.ts';
import type { IdentityProvider, TokenAlgorithm, TokenService } from '../tokens/port.ts';
import type { OidcRules } from './accounts/oidc-settings.ts';
import type { ActivityCounter } from './activity/activity-counter.ts';
import type { ApplicationDirectory } from './applications/directory.ts';
import type { UserReads } from './audit/user-reads.ts';
import type { CatalogDirectory } from './catalog/directory.ts';
import type { OpenCatalogs } from './catalog/open-catalogs.ts';
import type { Keyring } from './keyring.ts';
import type { RateLimits } from './limits/rate-limits.ts';
import type { Mailer } from './mail/mailer.ts';
import type { WebhookFigures, WebhookSender } from './webhooks/sender.ts';
import type { Work } from './work.ts';

/** What the rules stand on. Made once, in serve.ts. */
export type Service = {
  storage: Storage;
  applications: ApplicationDirectory;
  catalogs: CatalogDirectory;
  /** For those who edit them. */
  openCatalogs: OpenCatalogs;
  tokens: TokenService;
  keyring: Keyring;
  /** A compact JWS of the claims, by a key of the JWKS. */
  signReceipt(algorithm: TokenAlgorithm, claims: Record<string, unknown>): Promise<string>;
  activity: ActivityCounter;
  limits: RateLimits;
  userReads: UserReads;
  webhookSender: WebhookSender;
  webhookFigures(): WebhookFigures;
  /** Signs people in to the portal. undefined: none is set. */
  oidc: { provider: IdentityProvider; rules: OidcRules; name: string } | undefined;
  /** Whether passwords sign in to the portal. */
  passwords: boolean;
  /** undefined: no mail is sent, and links are shown to copy. */
  mailer: Mailer | undefined;
  /** For what could hold up the thread that answers. */
  work: Work;
  /** Where people and programs find it; on a port of the system's choosing, known once it listens. */
  publicUrl: string;
  /** What operators must know about at the moment, the worst first. */
  problems(): readonly Problem[];
  /** How far this machine's clock is ahead of the database's, for the metrics. */
  clockSkewMs(): number;
  now(): number;
  /** Resolves when what was changed before the call, by anyone, is seen in this process. */
  refresh(): Promise<void>;
};
