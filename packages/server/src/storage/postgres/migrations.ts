import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../caught.ts';
import { DatabaseRefused, type MigrationState } from '../port.ts';
import { DATABASE_NOW } from './clock.ts';
import { findHomes, schemaOf } from './distributed/homes.ts';
import { GRANT_STEPS, isForbidden, sqlState, toPortError } from './errors.ts';
import type { Servers } from './servers.ts';
import { type Query, Transactions } from './transactions.ts';

/** Changing a large table, or waiting for another replica that does, takes its time. */
const MIGRATION_MS = 3600_000;

/** Of tables that homes have (distributed/homes.ts): where users are distributed, it runs in each home. It names no other table. */
type OfUsers = { ofUsers: string };

/** Numbered by their place, forward only: a released migration is never edited, the next one mends it. */
export const MIGRATIONS: readonly (string | OfUsers)[] = [
  `
  create table applications (
    app_id bigint primary key,
    client_id text collate "C" not null unique,
    name text not null,
    settings text not null,
    created_at bigint not null
  );

  create table application_secrets (
    secret_hash bytea primary key,
    app_id bigint not null constraint application_secrets_application references applications (app_id) on delete cascade,
    created_at bigint not null,
    expires_at bigint
  );
  create index application_secrets_by_application on application_secrets (app_id);

  -- The user is the identity; what the application says of them is the profile. The profile's key keeps
  -- clientUserId unique, and it has no foreign key to users on purpose: one that outlived its user
  -- (import, restore) must collide (CONTRACT.md section 2, code 0024).
  create table users (
    user_id uuid primary key,
    app_id bigint not null constraint users_application references applications (app_id) on delete cascade,
    client_user_id text collate "C" not null,
    created_at bigint not null
  );
  create index users_by_application on users (app_id);

  create table profiles (
    app_id bigint not null constraint profiles_application references applications (app_id) on delete cascade,
    client_user_id text collate "C" not null,
    user_id uuid not null,
    client_user_name text not null,
    primary key (app_id, client_user_id)
  );

  -- At most one a user; spending one deletes it.
  create table special_tokens (
    token_hash bytea primary key,
    user_id uuid not null unique constraint special_tokens_user references users (user_id) on delete cascade,
    expires_at bigint not null
  );
  create index special_tokens_by_end on special_tokens (expires_at);

  create table access_tokens (
    token_id bytea constraint access_tokens_key primary key,
    user_id uuid not null constraint access_tokens_user references users (user_id) on delete cascade,
    issued_at bigint not null,
    expires_at bigint not null
  );
  create index access_tokens_by_user on access_tokens (user_id);
  create index access_tokens_by_end on access_tokens (expires_at);

  -- Accounts of the portal. An address is compared by its email_key.
  create table accounts (
    account_id uuid primary key,
    email text not null,
    email_key text not null constraint accounts_email unique,
    role text not null,
    created_at bigint not null
  );

  -- Using one deletes it. Without an account: it makes the first one.
  create table sign_in_links (
    link_hash bytea primary key,
    account_id uuid constraint sign_in_links_account references accounts (account_id) on delete cascade,
    expires_at bigint not null
  );
  create index sign_in_links_by_account on sign_in_links (account_id);

  create table sessions (
    session_id uuid primary key,
    session_hash bytea not null unique,
    account_id uuid not null constraint sessions_account references accounts (account_id) on delete cascade,
    created_at bigint not null,
    last_seen_at bigint not null,
    ends_at bigint not null,
    user_agent text not null
  );
  create index sessions_by_account on sessions (account_id);
  create index sessions_by_end on sessions (ends_at);

  -- Personal access tokens, which open /manage/v1; without all_apps, for the applications of the table after it.
  create table manage_tokens (
    token_id uuid primary key,
    token_hash bytea not null unique,
    account_id uuid constraint manage_tokens_account references accounts (account_id) on delete cascade,
    name text not null,
    all_apps boolean not null,
    access text not null,
    created_at bigint not null,
    expires_at bigint not null,
    last_used_at bigint
  );
  create index manage_tokens_by_account on manage_tokens (account_id);

  create table manage_token_applications (
    token_id uuid not null references manage_tokens (token_id) on delete cascade,
    app_id bigint not null constraint manage_token_applications_application
      references applications (app_id) on delete cascade,
    primary key (token_id, app_id)
  );
  create index manage_token_applications_by_application on manage_token_applications (app_id);

  create table idempotency_keys (
    app_id bigint not null constraint idempotency_keys_application references applications (app_id) on delete cascade,
    key_hash bytea not null,
    body_hash bytea not null,
    user_id uuid not null constraint idempotency_keys_user references users (user_id) on delete cascade,
    expires_at bigint not null,
    constraint idempotency_keys_key primary key (app_id, key_hash)
  );
  create index idempotency_keys_by_user on idempotency_keys (user_id);
  create index idempotency_keys_by_end on idempotency_keys (expires_at);

  create table catalog_revisions (
    app_id bigint not null constraint catalog_revisions_application references applications (app_id) on delete cascade,
    revision integer not null,
    created_at bigint not null,
    author text not null,
    difference text not null,
    languages text not null,
    constraint catalog_revisions_key primary key (app_id, revision)
  );

  -- Versions of groups and keys, each current from one revision until another: see port.ts.
  create table catalog_items (
    app_id bigint not null constraint catalog_items_application references applications (app_id) on delete cascade,
    item_uid uuid not null,
    from_revision integer not null,
    until_revision integer,
    kind text not null,
    group_uid uuid,
    key_no integer,
    document text not null,
    primary key (app_id, item_uid, from_revision)
  );

  -- last_event and previous_value are for the history: whoever saves has the row to itself, so that what it reads
  -- there is what it replaced, and no two events of a selection have the same number.
  create table selections (
    user_id uuid not null constraint selections_user references users (user_id) on delete cascade,
    key_no integer not null,
    app_id bigint not null,
    selection_id uuid not null,
    revision integer not null,
    value text collate "C" not null,
    language text,
    created_at bigint not null,
    updated_at bigint not null,
    last_event integer not null,
    previous_value text,
    primary key (user_id, key_no)
  );
  create index selections_by_key on selections (app_id, key_no);

  create table selection_events (
    user_id uuid not null constraint selection_events_user references users (user_id) on delete cascade,
    selection_id uuid not null,
    event_no integer not null,
    key_no integer not null,
    at bigint not null,
    means text not null,
    from_value text,
    to_value text,
    primary key (user_id, selection_id, event_no)
  );

  create table signing_keys (
    generation integer primary key,
    kid text not null unique,
    sealed_private_key text not null,
    public_jwk text not null,
    created_at bigint not null,
    signs_from bigint not null,
    published_until bigint
  );

  -- One row, locked by every change until it commits: so versions become visible in their order, without gaps.
  create table change_counter (
    only_row integer primary key,
    version bigint not null
  );
  insert into change_counter (only_row, version) values (1, 0);

  create table change_log (
    version bigint primary key,
    subject text not null,
    app_id bigint,
    at bigint not null
  );

  create table facts (
    name text primary key,
    value text not null
  );
  `,
  // Tokens that could do everything still can.
  "update manage_tokens set access = 'own' where access = 'write'",
  `
  -- Roughly: see directory.ts.
  alter table application_secrets add column last_used_at bigint;

  -- Throw-away users of "try it", noted before they are made: whatever happens meanwhile, they go at their end.
  create table trial_users (
    app_id bigint not null constraint trial_users_application references applications (app_id) on delete cascade,
    client_user_id text collate "C" not null,
    ends_at bigint not null,
    primary key (app_id, client_user_id)
  );
  `,
  `
  -- Statistics: counts of an hour and of a day, each flush adds to both.
  create table activity (
    app_id bigint not null constraint activity_application references applications (app_id) on delete cascade,
    step text not null,
    at bigint not null,
    name text not null,
    count bigint not null,
    last_at bigint not null,
    primary key (app_id, step, name, at)
  );
  create index activity_by_age on activity (step, at);

  -- The latest requests. What tells of a user goes with the user.
  create table request_log (
    app_id bigint not null constraint request_log_application references applications (app_id) on delete cascade,
    request_uid uuid not null,
    user_id uuid constraint request_log_user references users (user_id) on delete cascade,
    at bigint not null,
    method text not null,
    route text,
    path text collate "C" not null,
    status integer not null,
    code text,
    milliseconds double precision not null,
    request_id text not null,
    address text not null,
    user_agent text not null,
    credentials text not null,
    request text,
    answer text,
    primary key (app_id, request_uid)
  );
  create index request_log_by_user on request_log (user_id);
  create index request_log_by_age on request_log (at);

  -- Who changed what. Without an application: about the installation.
  create table audit_log (
    audit_uid uuid primary key,
    app_id bigint constraint audit_log_application references applications (app_id) on delete cascade,
    user_id uuid constraint audit_log_user references users (user_id) on delete set null,
    at bigint not null,
    actor text not null,
    action text not null,
    subject text not null,
    before text,
    after text
  );
  create index audit_log_by_application on audit_log (app_id, audit_uid);
  create index audit_log_by_user on audit_log (user_id);
  create index audit_log_by_age on audit_log (at);
  `,
  `
  -- What is to become of a catalog, as it differs from the revision it was begun from: see port.ts.
  create table catalog_drafts (
    app_id bigint primary key constraint catalog_drafts_application references applications (app_id) on delete cascade,
    draft_id uuid not null,
    version integer not null,
    base_revision integer not null,
    languages text not null,
    created_by text not null,
    created_at bigint not null,
    updated_by text not null,
    updated_at bigint not null
  );

  create table catalog_draft_items (
    app_id bigint not null constraint catalog_draft_items_draft references catalog_drafts (app_id) on delete cascade,
    item_uid uuid not null,
    kind text not null,
    group_uid uuid,
    key_no integer,
    document text not null,
    primary key (app_id, item_uid)
  );

  create table catalog_draft_edits (
    app_id bigint not null constraint catalog_draft_edits_draft references catalog_drafts (app_id) on delete cascade,
    version integer not null,
    kind text not null,
    author text not null,
    at bigint not null,
    difference text not null,
    inverse text not null,
    spent boolean not null,
    primary key (app_id, version)
  );
  `,
  `
  -- Until now everybody was the owner of everything.
  update accounts set role = 'administrator';
  alter table accounts
    add column password_hash text,
    add column sealed_totp text,
    add column pending_totp text,
    add column totp_step bigint not null default 0,
    add column preferences text not null default '{}';
  alter table sessions add column means text not null default 'link';

  create table recovery_codes (
    account_id uuid not null references accounts (account_id) on delete cascade,
    code_hash bytea not null,
    primary key (account_id, code_hash)
  );

  create table memberships (
    app_id bigint not null constraint memberships_application references applications (app_id) on delete cascade,
    account_id uuid not null constraint memberships_account references accounts (account_id) on delete cascade,
    role text not null,
    created_at bigint not null,
    primary key (app_id, account_id)
  );
  create index memberships_by_account on memberships (account_id);

  create table invitations (
    invitation_id uuid primary key,
    link_hash bytea not null unique,
    app_id bigint not null constraint invitations_application references applications (app_id) on delete cascade,
    email text not null,
    email_key text not null,
    role text not null,
    invited_by text not null,
    created_at bigint not null,
    expires_at bigint not null,
    unique (app_id, email_key)
  );
  create index invitations_by_end on invitations (expires_at);

  -- How far attempts to sign in have used up their allowance: until when, if no more came.
  create table sign_in_attempts (
    subject_hash bytea primary key,
    due_at bigint not null
  );
  create index sign_in_attempts_by_end on sign_in_attempts (due_at);
  `,
  `
  -- Whose invitation it is, and ends with: the account's that made it, also by a token. Null: the operator's.
  alter table invitations add column inviter_id uuid
    constraint invitations_inviter references accounts (account_id) on delete cascade;
  create index invitations_by_inviter on invitations (inviter_id);
  update invitations set inviter_id = (select a.account_id from accounts a where a.email = invited_by);
  `,
  `
  -- How far allowances of requests are used up: until when, if no more came. Of the moment: not worth a log.
  create unlogged table rate_limits (
    subject_hash bytea primary key,
    due_at bigint not null
  );
  create index rate_limits_by_end on rate_limits (due_at);
  `,
  `
  -- Hashes of the codes of users that were deleted, and nothing else of them: an import of an older export must not bring them back.
  create table deleted_users (
    app_id bigint not null,
    code_hash bytea not null,
    at bigint not null,
    primary key (app_id, code_hash)
  );
  create index deleted_users_by_time on deleted_users (at);
  `,
  `
  -- updated_at: null until something of the user changes; then it was last changed when it was created.
  alter table users add column status text not null default 'active', add column updated_at bigint;
  `,
  `
  -- Who chose what, in the order of users: see user-walk.ts. Of a long value its beginning, as an index takes no longer one.
  drop index selections_by_key;
  create index selections_by_key on selections (app_id, key_no, left(value, 200), user_id);
  drop index users_by_application;
  create index users_by_application on users (app_id, user_id);
  create index users_not_active on users (app_id, user_id) where status <> 'active';
  `,
  `
  -- Of an open text: what it says in other languages than that of \`value\`, as JSON by language tag; null: nothing.
  alter table selections add column texts text;
  -- Of an open text: the language of what was saved. And who saved it, where it was not the user or the application.
  alter table selection_events add column language text;
  alter table selection_events add column actor text;
  `,
  // Until now every key was of this algorithm.
  "alter table signing_keys add column algorithm text not null default 'EdDSA'",
  `
  -- Who made the changes of a revision, and of a draft so far; before, only who published and who edited first and last is known.
  alter table catalog_revisions add column authors text not null default '[]';
  update catalog_revisions set authors = json_build_array(author)::text;
  alter table catalog_drafts add column authors text not null default '[]';
  update catalog_drafts set authors =
    (case when created_by = updated_by then json_build_array(created_by) else json_build_array(created_by, updated_by) end)::text;
  -- Archiving a group leaves its keys as they are. Those that were archived with their group are live in it again, so that
  -- it comes back with them.
  update catalog_items set document = left(document, -5) || 'false}'
  where kind = 'key' and until_revision is null and right(document, 16) = '"archived":true}'
    and exists (
      select 1 from catalog_items g where g.app_id = catalog_items.app_id and g.item_uid = catalog_items.group_uid
        and g.until_revision is null and g.from_revision = catalog_items.from_revision and g.document like '%"archived":true,"position"%')
    and exists (
      select 1 from catalog_items k where k.app_id = catalog_items.app_id and k.item_uid = catalog_items.item_uid
        and k.until_revision = catalog_items.from_revision and right(k.document, 17) = '"archived":false}');
  `,
  `
  -- What happened, in order, for those who follow an application: see port/events.ts. Ids alone: what is told of a user is in rows of the
  -- user, which go with it. Numbers begin at the time, in microseconds, so that none is used again after a restore.
  create table events (
    no bigint generated by default as identity,
    app_id bigint not null,
    type integer not null,
    at bigint not null,
    user_id uuid,
    selection_id uuid,
    event_no integer,
    key_no integer,
    revision integer,
    data text,
    primary key (app_id, no)
  );
  select setval('events_no_seq', (extract(epoch from clock_timestamp()) * 1000000)::bigint);

  -- What a user was until the event of this number.
  create table user_changes (
    user_id uuid not null constraint user_changes_user references users (user_id) on delete cascade,
    until_no bigint not null,
    app_id bigint not null,
    client_user_id text not null,
    client_user_name text not null,
    status text not null,
    primary key (user_id, until_no)
  );
  create index user_changes_by_application on user_changes (app_id, until_no);

  -- The newest event that was purged.
  create table event_floors (
    app_id bigint primary key constraint event_floors_application references applications (app_id) on delete cascade,
    no bigint not null
  );
  `,
  // What preference links of the user carry; withdrawing them raises it.
  'alter table users add column link_generation integer not null default 0',
  `
  -- For the receipt of a selection: how it was last saved, and the tag of the language in which it was shown.
  alter table selections add column means text;
  alter table selections add column shown_in text;
  `,
  `
  -- Where events are sent. What a webhook has read of the feed is behind it: it is in webhook_deliveries.
  create table webhooks (
    webhook_id uuid primary key,
    app_id bigint not null constraint webhooks_application references applications (app_id) on delete cascade,
    url text not null,
    types text not null,
    description text not null,
    sealed_secret text not null,
    sealed_previous text,
    previous_expires_at bigint,
    created_at bigint not null,
    off text,
    last_success_at bigint,
    failing_since bigint,
    read_after bigint not null,
    read_since bigint not null,
    lease_owner uuid,
    lease_until bigint not null default 0
  );
  create index webhooks_by_application on webhooks (app_id);

  -- An event and where it is sent, without what the event tells. event_no: null for a test.
  create table webhook_deliveries (
    webhook_id uuid not null references webhooks (webhook_id) on delete cascade,
    delivery_id uuid not null,
    event_no bigint,
    type text not null,
    user_id uuid,
    created_at bigint not null,
    state text not null,
    attempts integer not null default 0,
    next_at bigint,
    last_at bigint,
    status integer,
    problem text,
    milliseconds integer,
    ended_at bigint,
    primary key (webhook_id, delivery_id)
  );
  create unique index webhook_deliveries_by_event on webhook_deliveries (webhook_id, event_no);
  create index webhook_deliveries_open on webhook_deliveries (webhook_id, user_id, event_no) where ended_at is null;
  create index webhook_deliveries_due on webhook_deliveries (webhook_id, next_at) where next_at is not null;
  create index webhook_deliveries_failed on webhook_deliveries (webhook_id, delivery_id) where state = 'failed';
  create index webhook_deliveries_by_end on webhook_deliveries (ended_at) where ended_at is not null;

  -- How a receiver answered may tell of the user whom the event is about: it goes with the user.
  create table webhook_responses (
    webhook_id uuid not null,
    delivery_id uuid not null,
    user_id uuid references users (user_id) on delete cascade,
    body text not null,
    primary key (webhook_id, delivery_id),
    foreign key (webhook_id, delivery_id) references webhook_deliveries (webhook_id, delivery_id) on delete cascade
  );
  create index webhook_responses_by_user on webhook_responses (user_id);
  `,
  `
  -- Who an identity provider says the account is: issuer and subject.
  alter table accounts add column oidc_subject text;
  create unique index accounts_by_oidc_subject on accounts (oidc_subject);
  `,
  `
  -- JSON: the languages that a translator is limited to; null: all.
  alter table memberships add column languages text;
  alter table invitations add column languages text;
  `,
  'alter table applications add column logo text',
  `
  -- Requests a second at most; null: no limit.
  alter table webhooks add column max_per_second integer;
  `,
  `
  -- JSON: how many rows of each table the user had; null: deleted before this was counted.
  alter table deleted_users add column deleted_rows text;
  `,
  `
  -- Which source a text was made for, by hashes, and whether somebody reviewed it for that: see port/catalogs.ts.
  create table text_states (
    app_id bigint not null constraint text_states_application references applications (app_id) on delete cascade,
    text_key text not null,
    source_key text not null,
    reviewed boolean not null,
    constraint text_states_key primary key (app_id, text_key)
  );
  `,
  'alter table catalog_revisions add column note text',
  // Users from one day to another, and the newest first: see user-walk.ts.
  { ofUsers: 'create index users_by_creation on users (app_id, created_at, user_id)' },
];

const LATEST = MIGRATIONS.length;
const APPLIED = 'select coalesce(max(number), 0) as applied from schema_migrations';

export async function migrationState(servers: Servers): Promise<MigrationState> {
  return alone(servers, (transactions) =>
    explainingGrants(async () => ({ applied: await transactions.run(countApplied), latest: LATEST })),
  );
}

/** Safe when several replicas start at once: each migration is applied by one of them while the others wait. */
export async function migrate(servers: Servers): Promise<MigrationState> {
  return alone(servers, (transactions) =>
    explainingGrants(async () => {
      // Looks first: a role that may not create tables can use a database that another role has migrated.
      let applied = await transactions.run(countApplied);
      while (applied !== LATEST) applied = await applyNext(transactions);
      return { applied, latest: LATEST };
    }),
  );
}

async function explainingGrants<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isForbidden(error)) throw new DatabaseRefused(`PostgreSQL: ${messageOf(error)}.`, GRANT_STEPS);
    throw error;
  }
}

/**
 * Returns the number of the last applied migration. `create table if not exists` is not safe against itself: two
 * concurrent ones can both find nothing, and one then fails.
 */
async function applyNext(transactions: Transactions): Promise<number> {
  for (let tries = 1; ; tries++) {
    try {
      return await transactions.run(async (query) => {
        // Regardless of the database's default: after waiting for the lock, we must see what was applied in the meantime.
        await query('set transaction isolation level read committed');
        await query('create table if not exists schema_lock (only_row integer primary key)');
        await query(
          'create table if not exists schema_migrations (number integer primary key, applied_at bigint not null)',
        );
        await query('insert into schema_lock (only_row) values (1) on conflict do nothing');
        // A row, not an advisory lock: a transaction pooler would hand that one to the next client.
        await query('select only_row from schema_lock for update');
        return applyUnderLock(query);
      }, MIGRATION_MS);
    } catch (error) {
      // XX000: "tuple concurrently updated", which has no code of its own.
      const raced = ['23505', '42P07', '42710', '40001', '40P01', 'XX000'].includes(sqlState(error) ?? '');
      if (!raced || tries === 10) throw error;
      await sleep(Math.random() * 20 * tries);
    }
  }
}

async function applyUnderLock(query: Query): Promise<number> {
  const [row] = await query<{ applied: number }>(APPLIED);
  const applied = row?.applied ?? 0;
  if (applied > LATEST) {
    throw new Error(
      `This database was last used by a newer Innkeeper (schema ${applied}; this version supports ${LATEST}). Run that version or a later one.`,
    );
  }
  const next = MIGRATIONS[applied];
  if (next === undefined) return applied;
  await run(query, next).catch((error: unknown) => {
    if (sqlState(error) !== '42P07') throw error;
    throw new DatabaseRefused(
      `the database has tables of another program: ${messageOf(error)}. Nothing was changed.`,
      'Use a database of its own (createdb innkeeper) and set INNKEEPER_DATABASE_URL to it.',
    );
  });
  await query(`insert into schema_migrations (number, applied_at) values ($1, ${DATABASE_NOW})`, [applied + 1]);
  return applied + 1;
}

async function run(query: Query, migration: string | OfUsers): Promise<void> {
  if (typeof migration === 'string') await query(migration);
  else {
    const homes = await findHomes(query);
    if (!homes) await query(migration.ofUsers);
    for (const home of homes?.all ?? []) {
      await query(`set local search_path to ${schemaOf(home)}`);
      await query(migration.ofUsers);
    }
    if (homes) await query('set local search_path to default');
  }
}

/** All of the schema as a new database gets it, into the current schema of a transaction. */
export async function applyAll(query: Query): Promise<void> {
  for (const migration of MIGRATIONS) await query(typeof migration === 'string' ? migration : migration.ofUsers);
}

async function countApplied(query: Query): Promise<number> {
  const [there] = await query<{ there: boolean }>("select to_regclass('schema_migrations') is not null as there");
  if (!there?.there) return 0;
  const [row] = await query<{ applied: number }>(APPLIED);
  return row?.applied ?? 0;
}

/** On connections that are closed at the end. */
export async function alone<T>(servers: Servers, work: (transactions: Transactions) => Promise<T>): Promise<T> {
  const transactions = new Transactions(servers);
  try {
    return await work(transactions);
  } catch (error) {
    throw toPortError(error);
  } finally {
    await transactions.close();
  }
}
