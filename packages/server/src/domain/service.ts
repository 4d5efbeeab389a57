import type { Problem, Storage } from '../storage/port.ts';
import type { IdentityProvider, TokenAlgorithm, TokenService } from '../tokens/port.ts';
import type { OidcRules } from './accounts/oidc-settings.ts';
import type { ActivityCounter } from './activity.ts';
import type { ApplicationDirectory } from './applications/directory.ts';
import type { UserCounts } from './applications/user-counts.ts';
import type { UserReads } from './audit.ts';
import type { CatalogDirectory, OpenCatalogs } from './catalog/directory.ts';
import type { Keyring } from './keyring.ts';
import type { RateLimits } from './limits/rate-limits.ts';
import type { Mailer } from './mail/write-letter.ts';
import type { SearchTime } from './users/search-time.ts';
import type { WebhookFigures, WebhookSender } from './webhooks/send-event.ts';
import type { Work } from './work.ts';

/** What the rules depend on. Created once, in serve.ts. */
export type Service = {
  storage: Storage;
  applications: ApplicationDirectory;
  catalogs: CatalogDirectory;
  /** For editing catalogs. */
  openCatalogs: OpenCatalogs;
  tokens: TokenService;
  keyring: Keyring;
  /** A compact JWS of the claims, signed by a key of the JWKS. */
  signReceipt(algorithm: TokenAlgorithm, claims: Record<string, unknown>): Promise<string>;
  activity: ActivityCounter;
  limits: RateLimits;
  userReads: UserReads;
  userCounts: UserCounts;
  searchTime: SearchTime;
  webhookSender: WebhookSender;
  webhookFigures(): WebhookFigures;
  /** Signs people in to the portal; undefined if not configured. */
  oidc: { provider: IdentityProvider; rules: OidcRules; name: string } | undefined;
  /** Whether people can sign in to the portal with a password. */
  passwords: boolean;
  /** undefined: no mail is sent, and links are shown for copying. */
  mailer: Mailer | undefined;
  /** For work that could block the HTTP thread. */
  work: Work;
  /** The service's public address; with an automatic port, known once it listens. */
  publicUrl: string;
  /** Current problems that operators must know about, the worst first. */
  problems(): readonly Problem[];
  /** How far this machine's clock is ahead of the database's, for the metrics. */
  clockSkewMs(): number;
  now(): number;
  /** Resolves once this process has seen everything that was changed before the call, by any process. */
  refresh(): Promise<void>;
};
