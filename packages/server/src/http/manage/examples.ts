import { DEMO_CATALOG } from '../../demo/catalog.ts';
import type { ChangeFact } from '../../domain/catalog/change.ts';
import type { FileGroup, FileKey, FileValue } from '../../domain/catalog/file-schema.ts';
import { sayFact } from '../../domain/catalog/say-fact.ts';
import { EXAMPLE, EXAMPLE_UIDS } from '../examples.ts';

/** Of the demo application as the first start makes it. Ada, its user, is signed in and has chosen the dark theme. */
export const APPLICATION = { clientId: EXAMPLE.clientId };
export const USER = { ...APPLICATION, userUid: EXAMPLE.userCode };
export const APPEARANCE_GROUP = { ...APPLICATION, groupUid: EXAMPLE.groupUid };
export const THEME_KEY = { ...APPLICATION, keyUid: EXAMPLE.keyUid };
export const IF_MATCH = { 'If-Match': '"1"' };
/** Any version: a draft has another ETag each time. */
export const ANY_MATCH = { 'If-Match': '*' };
export const TIME = '2025-11-24 16:00:00';
export const TOKEN_AUTHOR = 'token:ci (d24e5f607189)';

export const APPLICATION_EXAMPLE = {
  clientId: EXAMPLE.clientId,
  name: 'Demo',
  createdAt: TIME,
  access: 'own',
  settings: {
    specialTokenTtl: 600,
    accessTokenTtl: 3600,
    deleteNeedsCredentials: true,
    saveByUserUid: 'open',
    allowedOrigins: [],
    rateLimit: 'default',
    addressRateLimit: 'off',
    historyKept: 0,
    eventsKept: 30,
    accentColor: '',
    logo: '',
    tokenAlgorithm: 'EdDSA',
    tokenClaims: [],
  },
  changedSettings: [] as string[],
  secrets: [{ fingerprint: '3f9c0a7e', createdAt: TIME, expiresAt: null, lastUsedAt: TIME }],
  counts: { users: 1, languages: 3, groups: 2, keys: 6, revision: 1 },
};

const [NOTIFICATIONS, APPEARANCE] = DEMO_CATALOG.groups as [FileGroup, FileGroup];
const [THEME, ...OTHER_KEYS] = APPEARANCE.keys as [FileKey, ...FileKey[]];
export const [SYSTEM, LIGHT, DARK] = THEME.values as [FileValue, FileValue, FileValue];

/** With a value that has no text in Spanish. */
export const CHANGED_CATALOG = {
  ...DEMO_CATALOG,
  groups: [
    NOTIFICATIONS,
    {
      ...APPEARANCE,
      keys: [
        {
          ...THEME,
          values: [
            ...[SYSTEM, LIGHT, DARK],
            { value: 'contrast', translations: { English: 'High contrast', Deutsch: 'Hoher Kontrast' } },
          ],
        },
        ...OTHER_KEYS,
      ],
    },
  ],
};

const GROUP_UIDS: Record<string, string> = {
  notifications: EXAMPLE.secondGroupUid,
  appearance: EXAMPLE.groupUid,
};
const KEY_UIDS: Record<string, string> = {
  newsletter: EXAMPLE_UIDS.newsletterKey,
  channels: EXAMPLE_UIDS.channelsKey,
  quiet_until: EXAMPLE_UIDS.quietUntilKey,
  theme: EXAMPLE.keyUid,
  text_size: EXAMPLE.secondKeyUid,
  items_per_page: EXAMPLE_UIDS.itemsPerPageKey,
};

export const CATALOG_TREE = {
  revision: 1,
  languages: DEMO_CATALOG.languages,
  groups: DEMO_CATALOG.groups.map(({ keys = [], ...group }) => ({
    groupUid: GROUP_UIDS[group.name],
    archived: false,
    ...group,
    keys: keys.map((key) => ({ keyUid: KEY_UIDS[key.name], archived: false, ...key })),
  })),
};

/** A line of a difference; of a key that was there, with how many selections it touches. */
export function change(kind: string, subject: string, path: string, facts: ChangeFact[], selections?: number) {
  return { kind, subject, path, ...(selections !== undefined && { selections }), details: facts.map(sayFact), facts };
}

export function breaks(path: string, fact: ChangeFact, selections: number) {
  return { path, text: sayFact(fact), fact, selections };
}

type Plan = {
  changes: ReturnType<typeof change>[];
  breaking?: ReturnType<typeof breaks>[];
  /** How many texts each language could have, and what has none in Spanish. */
  texts?: number;
  missing?: string[];
};

export function plan({ changes, breaking = [], texts = 14, missing = [] }: Plan) {
  return {
    changes,
    breaking,
    notes: [],
    missing: [
      { language: 'Deutsch', total: texts, count: 0, missing: [] as string[] },
      { language: 'Español', total: texts, count: missing.length, missing },
    ],
  };
}

/** What follows the one revision of the demo. */
export function published(planned: Plan) {
  return { revision: 2, changed: true, ...plan(planned) };
}

export const RENAMED: ChangeFact[] = [{ what: 'text', language: 'Deutsch', from: 'Farbschema', to: 'Farben' }];
/** What the draft of these examples changes. */
export const RENAMED_THEME: Plan = { changes: [change('changed', 'key', 'appearance/theme', RENAMED, 1)] };

export const DRAFT = {
  draftId: EXAMPLE_UIDS.draft,
  version: 1,
  etag: `"1-${EXAMPLE_UIDS.draft}-1"`,
  baseRevision: 1,
  createdBy: TOKEN_AUTHOR,
  createdAt: TIME,
  updatedBy: TOKEN_AUTHOR,
  updatedAt: TIME,
};

export const DRAFT_EDIT = {
  version: 1,
  kind: 'edit',
  author: TOKEN_AUTHOR,
  at: TIME,
  changes: [change('changed', 'key', 'appearance/theme', RENAMED)],
};

/** An edit of a draft, which was never published. */
export function edited(changes: ReturnType<typeof change>[], version = 1) {
  const etag = `"1-${EXAMPLE_UIDS.draft}-${version}"`;
  return { revision: 1, changed: true, changes, notes: [], draft: { ...DRAFT, version, etag } };
}

export function newKey(to: Record<string, unknown>): ChangeFact {
  return { what: 'key', to };
}

export const FIRST_REVISION = {
  revision: 1,
  author: 'demo',
  authors: ['demo'],
  createdAt: TIME,
  changes: [
    change('added', 'language', 'English', [{ what: 'tagOfDefault', to: 'en' }]),
    change('added', 'language', 'Deutsch', [{ what: 'tag', to: 'de' }]),
    change('added', 'language', 'Español', [{ what: 'tag', to: 'es' }]),
    change('added', 'group', 'notifications', []),
    change('added', 'key', 'notifications/newsletter', [newKey({ type: 'boolean', default: false })]),
    change('added', 'key', 'notifications/channels', [
      newKey({ type: 'string', multiple: true, min: 1, max: 2, default: ['email'], values: ['email', 'sms', 'push'] }),
    ]),
    change('added', 'key', 'notifications/quiet_until', [newKey({ type: 'date', constraint: { min: '2020-01-01' } })]),
    change('added', 'group', 'appearance', []),
    change('added', 'key', 'appearance/theme', [
      newKey({ type: 'string', default: 'system', values: ['system', 'light', 'dark'] }),
    ]),
    change('added', 'key', 'appearance/text_size', [newKey({ type: 'number', default: 1, values: [1, 1.25, 1.5, 2] })]),
    change('added', 'key', 'appearance/items_per_page', [
      newKey({ type: 'integer', default: 20, constraint: { min: 5, max: 100, step: 5 } }),
    ]),
  ],
};

/** What CHANGED_CATALOG changes. */
export const NEW_VALUE: Plan = {
  changes: [change('changed', 'key', 'appearance/theme', [{ what: 'valueAdded', value: 'contrast' }], 0)],
  texts: 15,
  missing: ['appearance/theme=contrast'],
};

export const NEW_VALUE_EDIT = [
  change('changed', 'key', 'appearance/theme', [{ what: 'valueAdded', value: 'contrast' }]),
];

export const BREAKS = {
  code: '9409',
  message: 'The change is breaking. Nothing was published.',
};

export const ADA = {
  userUid: EXAMPLE.userCode,
  clientUserId: EXAMPLE.clientUserId,
  clientUserName: 'Ada Lovelace',
  email: EXAMPLE.clientUserId,
  status: 'active',
  createdAt: TIME,
  updatedAt: TIME,
};
export const MEMBER = { ...APPLICATION, accountId: EXAMPLE.memberAccountId };
export const GRACE = {
  accountId: EXAMPLE.memberAccountId,
  email: 'grace@translators.example',
  role: 'translator',
  languages: null,
  since: TIME,
};
export const INVITATION = {
  invitationId: EXAMPLE.invitationId,
  email: 'hedy@translators.example',
  role: 'translator',
  languages: null,
  invitedBy: TOKEN_AUTHOR,
  createdAt: TIME,
  expiresAt: '2025-12-01 16:00:00',
};
export const ACCESS_TOKEN = { tokenId: EXAMPLE.accessTokenId, issuedAt: TIME, expiresAt: '2025-11-24 17:00:00' };

const THEME_IN_GROUP = {
  groupUid: EXAMPLE.groupUid,
  groupName: 'appearance',
  keyUid: EXAMPLE.keyUid,
  keyName: 'theme',
};

export const CHOSEN_OPTION = {
  ...THEME_IN_GROUP,
  valueType: 'string',
  archived: false,
  value: 'dark',
  isDefault: false,
  userOptionsUid: EXAMPLE.userOptionsUid,
  revision: 1,
  language: null,
  texts: null,
  etag: `"${EXAMPLE.userOptionsUid}.1"`,
  createdAt: TIME,
  updatedAt: TIME,
};

export const DEFAULT_OPTION = {
  ...CHOSEN_OPTION,
  keyUid: EXAMPLE.secondKeyUid,
  keyName: 'text_size',
  valueType: 'number',
  value: 1,
  isDefault: true,
  userOptionsUid: null,
  revision: null,
  etag: null,
  createdAt: null,
  updatedAt: null,
};

export const SAVED_EVENT = {
  at: TIME,
  action: 'save',
  by: 'user_uid',
  actor: null,
  language: null,
  userOptionsUid: EXAMPLE.userOptionsUid,
  ...THEME_IN_GROUP,
  fromValue: null,
  toValue: 'dark',
};

/** Someone who has signed in to the portal with a link, and the one token that they have made. */
export const ACCOUNT_EMAIL = 'owner@example.com';
export const USER_AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

/** Long enough, and nobody's: it is public here. */
export const PASSWORD = 'seven plums in a paper boat';

export const RECOVERY_CODES = [...'abcdefghij'].map((letter) => `${letter}2c3-d4e5-f6g7-h2i3`);

export const SIGNED_IN = {
  accountId: EXAMPLE_UIDS.account,
  email: ACCOUNT_EMAIL,
  administrator: true,
  hasPassword: false,
  needsPassword: false,
  needsLink: false,
  totp: false,
  recoveryCodes: 0,
  preferences: { theme: 'auto', language: null },
  applications: [{ clientId: EXAMPLE.clientId, name: 'Demo', access: 'own', languages: null }],
  signOutUrl: null,
  sessionId: EXAMPLE.sessionId,
  signedInAt: TIME,
  expiresAt: '2025-11-25 04:00:00',
};

export const PORTAL_SESSION = {
  sessionId: EXAMPLE.sessionId,
  current: true,
  userAgent: USER_AGENT,
  signedInAt: TIME,
  lastSeenAt: TIME,
  expiresAt: '2025-11-25 04:00:00',
};

export const MANAGE_TOKEN = {
  tokenId: EXAMPLE.manageTokenId,
  name: 'ci',
  apps: [EXAMPLE.clientId],
  access: 'own',
  createdAt: TIME,
  expiresAt: '2026-02-22 16:00:00',
  expired: false,
  lastUsedAt: null,
};

/** As it is returned once, when it is created. */
export const REPORTS_TOKEN = {
  token: 'YOUR_PERSONAL_ACCESS_TOKEN',
  ...MANAGE_TOKEN,
  tokenId: EXAMPLE_UIDS.newManageToken,
  name: 'reports',
  access: 'read',
  expiresAt: '2025-12-24 16:00:00',
};
