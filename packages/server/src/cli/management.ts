import type { Rotation } from '../domain/applications/application.ts';
import type { ApplicationChange, ApplicationSettings, ChangeProblem } from '../domain/applications/settings.ts';
import type { Scalar } from '../domain/catalog/catalog.ts';
import type { CatalogFile } from '../domain/catalog/file-schema.ts';
import type { OutdatedText, TextConflict } from '../domain/catalog/merge-texts.ts';
import type { ParsedFile } from '../domain/catalog/parse-file.ts';
import type { MissingTexts, PlanNote } from '../domain/catalog/plan.ts';
import type { CountedBreaking, ReadableChange } from '../domain/catalog/publish.ts';
import type { Access } from '../domain/manage/access.ts';
import type { FileLine } from '../domain/users/import-line.ts';
import type { ImportCounts, ImportOptions } from '../domain/users/import-users.ts';
import type { WantedWebhook } from '../domain/webhooks/manage-webhooks.ts';
import type { DeliveryView, WebhookView } from '../http/manage/webhook-acts.ts';
import type { DeliveryFilter, UserStatus, WebhookChange } from '../storage/port.ts';
import type { Input } from './read-input.ts';

/**
 * What commands need, either on the database in the settings or, with INNKEEPER_URL, on a remote service. Times are
 * strings in the form of the API. Failures are thrown.
 */
export type Management = {
  /** Where this is, for people. */
  place: string;
  applications: {
    list(): Promise<{ clientId: string; name: string; createdAt: string }[]>;
    show(clientId: string): Promise<ShownApplication>;
    create(name: string): Promise<{ clientId: string; clientSecret: string; name: string }>;
    change(clientId: string, change: ApplicationChange): Promise<ChangedApplication>;
    /** Undefined: refused, because the previous secret is still valid. */
    rotateSecret(
      clientId: string,
      rotation: Rotation,
    ): Promise<{ clientSecret: string; previousExpiresAt: string } | undefined>;
    delete(clientId: string): Promise<void>;
  };
  catalog: {
    plan(clientId: string, file: CatalogInput): Promise<PlanView & { revision: number }>;
    apply(clientId: string, file: CatalogInput, options: ApplyOptions): Promise<Published>;
    restore(clientId: string, revision: number, options: ApplyOptions): Promise<Published>;
    /** At this revision, or the newest. */
    read(clientId: string, revision?: number): Promise<{ revision: number; file: CatalogFile }>;
    texts(clientId: string, options: TextsOptions): Promise<{ revision: number; content: string }>;
    types(clientId: string, withSchemas: boolean): Promise<{ revision: number; content: string }>;
    importTexts(clientId: string, input: Input, options: ImportTextsOptions): Promise<ImportedTexts>;
    /** Marks the texts of an exported file as reviewed, or removes the marks. */
    review(clientId: string, input: Input, reviewed: boolean): Promise<ReviewedTexts>;
    revisions(clientId: string, page: { offset: number; limit: number }): Promise<{ total: number; items: Revision[] }>;
    revision(clientId: string, revision: number): Promise<Revision>;
    /** Values as typed. */
    migrate(
      clientId: string,
      wanted: { key: string; from: string; to: string; dryRun: boolean },
      onProgress: (migrated: number, planned: number) => void,
    ): Promise<Migrated>;
    compare(clientId: string, from: number, to?: number): Promise<{ to: number; changes: ReadableChange[] }>;
  };
  users: {
    import(clientId: string, lines: AsyncIterable<readonly FileLine[]>, options: Importing): Promise<Imported>;
    /** The audit entry is written before the first line is returned. */
    export(
      clientId: string,
      wanted?: WantedUsers,
    ): AsyncIterable<{ text: string; users: number; profilesOnly: number }>;
    /** By service_user_code or clientUserId. */
    find(clientId: string, id: string): Promise<ShownUser>;
    setStatus(clientId: string, id: string, status: UserStatus): Promise<ShownUser>;
    /** The receipt; null: the service has none. */
    delete(clientId: string, user: ShownUser): Promise<string | null>;
    /** Everything stored about one user, streamed; writes an audit entry. */
    exportOne(
      clientId: string,
      id: string,
      format: 'json' | 'html',
    ): Promise<{ user: ShownUser; texts: AsyncIterable<string> }>;
    /** A link to a user's preference page. */
    link(clientId: string, id: string, wanted: WantedUserLink): Promise<UserLink>;
    withdrawLinks(clientId: string, id: string): Promise<ShownUser>;
  };
  webhooks: {
    list(clientId: string): Promise<WebhookView[]>;
    show(clientId: string, webhookId: string): Promise<WebhookView>;
    create(clientId: string, wanted: WantedWebhook): Promise<{ secret: string } & WebhookView>;
    change(clientId: string, webhookId: string, change: WebhookChange): Promise<WebhookView>;
    delete(clientId: string, webhookId: string): Promise<void>;
    rotateSecret(
      clientId: string,
      webhookId: string,
      rotation: Rotation,
    ): Promise<{ secret: string; previousExpiresAt: string }>;
    test(clientId: string, webhookId: string): Promise<DeliveryView & { response: string | null }>;
    /** Newest first. */
    deliveries(
      clientId: string,
      webhookId: string,
      page: DeliveryFilter & { after?: string; limit: number },
    ): Promise<{ items: DeliveryView[]; next: string | null }>;
    resend(clientId: string, webhookId: string, deliveryId: string): Promise<DeliveryView>;
  };
  tokens: {
    create(wanted: WantedToken): Promise<{ token: string; tokenId: string; expiresAt: string }>;
    list(): Promise<ShownToken[]>;
    revoke(tokenId: string): Promise<'revoked' | 'unknown'>;
  };
};

/** Undefined: all users. An invalid condition is a usage error. */
export type WantedUsers = { where: readonly string[]; effective: boolean; status: UserStatus | undefined };

/** As GET /api/v2/app/{clientId}/users/{serviceUserCode} returns it. */
export type ShownUser = {
  service_user_code: string;
  clientUserId: string;
  clientUserName: string;
  email: string;
  status: UserStatus;
  created_at: string;
  updated_at: string;
};

type WantedUserLink = {
  groups: string[] | undefined;
  language: string | undefined;
  expiresIn: number | undefined;
  /** What one click saves, by group.key. */
  unsubscribe: Record<string, unknown[]> | undefined;
};
export type UserLink = { url: string; expiresAt: string; unsubscribeUrl?: string };

export type ShownApplication = {
  name: string;
  createdAt: string;
  users: number;
  settings: ApplicationSettings;
  /** Names of settings that differ from their defaults. */
  changed: readonly string[];
  /** The valid ones. */
  secrets: { createdAt: string; expiresAt: string | null }[];
};

/** `problems`: those that only the catalog reveals; nothing was changed. */
type ChangedApplication = Pick<ShownApplication, 'name' | 'settings' | 'changed'> | { problems: ChangeProblem[] };

type Migrated = {
  key: string;
  from: Scalar;
  to: Scalar;
  planned: number;
  migrated: number;
  remaining: number;
};

type CatalogInput = Extract<ParsedFile, { definition: unknown }>;
export type ApplyOptions = { allowBreaking: boolean; ifRevision?: number; note?: string };
type ImportTextsOptions = { prefer?: 'file' | 'catalog'; note?: string };
type TextsOptions = { format: 'csv' | 'xliff'; language?: string; revision?: number };
export type Revision = {
  revision: number;
  createdAt: string;
  author: string;
  authors: string[];
  note?: string;
  changes: ReadableChange[];
};

export type PlanView = {
  changes: ReadableChange[];
  breaking: CountedBreaking[];
  notes: PlanNote[];
  missing: MissingTexts[];
};

export type Published =
  | ({ outcome: 'published' | 'unchanged'; revision: number } & PlanView)
  | ({ outcome: 'breaking' } & Pick<PlanView, 'changes' | 'breaking'>)
  | { outcome: 'conflict'; revision: number };

export type ImportedTexts =
  | (Published & { outdated: OutdatedText[] })
  | { outcome: 'refused'; problems: string[]; conflicts: TextConflict[] };

/** Texts that have changed since the export are not marked. */
type ReviewedTexts =
  | { outcome: 'marked'; count: number; changed: { path: string; language: string }[] }
  | { outcome: 'refused'; problems: string[] };

export type Importing = Omit<ImportOptions, 'at' | 'importId' | 'earlierIds'>;
type Imported = { outcome: 'done' | 'interrupted'; counts: ImportCounts };

type WantedToken = { name: string; apps: string[] | null; access: Access; lifetimeSeconds: number };

export type ShownToken = {
  tokenId: string;
  name: string;
  apps: string[] | null;
  access: string;
  createdAt: string;
  expiresAt: string;
  expired: boolean;
  lastUsedAt: string | null;
};
