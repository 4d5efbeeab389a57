import type { DatabaseSync } from 'node:sqlite';
import type { MigrationState } from '../port.ts';
import { NEW_SCHEMA } from './new-schema.ts';

/** Numbered by their place, forward only: a released migration is never edited, the next one mends it. */
export const MIGRATIONS: readonly string[] = [
  `
  create table applications (
    app_id integer primary key,
    client_id text not null unique,
    name text not null,
    settings text not null,
    created_at integer not null
  ) strict;

  create table application_secrets (
    secret_hash blob primary key,
    app_id integer not null references applications on delete cascade,
    created_at integer not null,
    expires_at integer
  ) strict, without rowid;
  create index application_secrets_by_application on application_secrets (app_id);

  -- The user is the identity; what the application says of them is the profile. The profile's key keeps
  -- clientUserId unique, and it has no foreign key to users on purpose: one that outlived its user
  -- (import, restore) must collide (CONTRACT.md section 2, code 0024).
  create table users (
    user_id blob primary key,
    app_id integer not null references applications on delete cascade,
    client_user_id text not null,
    created_at integer not null
  ) strict, without rowid;
  create index users_by_application on users (app_id);

  create table profiles (
    app_id integer not null references applications on delete cascade,
    client_user_id text not null,
    user_id blob not null,
    client_user_name text not null,
    primary key (app_id, client_user_id)
  ) strict, without rowid;

  -- At most one a user; spending one deletes it.
  create table special_tokens (
    token_hash blob primary key,
    user_id blob not null unique references users on delete cascade,
    expires_at integer not null
  ) strict, without rowid;
  create index special_tokens_by_end on special_tokens (expires_at);

  create table access_tokens (
    token_id blob primary key,
    user_id blob not null references users on delete cascade,
    issued_at integer not null,
    expires_at integer not null
  ) strict, without rowid;
  create index access_tokens_by_user on access_tokens (user_id);
  create index access_tokens_by_end on access_tokens (expires_at);

  -- Accounts of the portal. An address is compared by its email_key.
  create table accounts (
    account_id blob primary key,
    email text not null,
    email_key text not null unique,
    role text not null,
    created_at integer not null
  ) strict, without rowid;

  -- Using one deletes it. Without an account: it makes the first one.
  create table sign_in_links (
    link_hash blob primary key,
    account_id blob references accounts on delete cascade,
    expires_at integer not null
  ) strict, without rowid;
  create index sign_in_links_by_account on sign_in_links (account_id);

  create table sessions (
    session_id blob primary key,
    session_hash blob not null unique,
    account_id blob not null references accounts on delete cascade,
    created_at integer not null,
    last_seen_at integer not null,
    ends_at integer not null,
    user_agent text not null
  ) strict, without rowid;
  create index sessions_by_account on sessions (account_id);
  create index sessions_by_end on sessions (ends_at);

  -- Personal access tokens, which open /manage/v1; without all_apps, for the applications of the table after it.
  create table manage_tokens (
    token_id blob primary key,
    token_hash blob not null unique,
    account_id blob references accounts on delete cascade,
    name text not null,
    all_apps integer not null,
    access text not null,
    created_at integer not null,
    expires_at integer not null,
    last_used_at integer
  ) strict, without rowid;
  create index manage_tokens_by_account on manage_tokens (account_id);

  create table manage_token_applications (
    token_id blob not null references manage_tokens on delete cascade,
    app_id integer not null references applications on delete cascade,
    primary key (token_id, app_id)
  ) strict, without rowid;
  create index manage_token_applications_by_application on manage_token_applications (app_id);

  create table idempotency_keys (
    app_id integer not null references applications on delete cascade,
    key_hash blob not null,
    body_hash blob not null,
    user_id blob not null references users on delete cascade,
    expires_at integer not null,
    primary key (app_id, key_hash)
  ) strict, without rowid;
  create index idempotency_keys_by_user on idempotency_keys (user_id);
  create index idempotency_keys_by_end on idempotency_keys (expires_at);

  create table catalog_revisions (
    app_id integer not null references applications on delete cascade,
    revision integer not null,
    created_at integer not null,
    author text not null,
    difference text not null,
    languages text not null,
    primary key (app_id, revision)
  ) strict, without rowid;

  -- Versions of groups and keys, each current from one revision until another: see port.ts.
  create table catalog_items (
    app_id integer not null references applications on delete cascade,
    item_uid blob not null,
    from_revision integer not null,
    until_revision integer,
    kind text not null,
    group_uid blob,
    key_no integer,
    document text not null,
    primary key (app_id, item_uid, from_revision)
  ) strict, without rowid;

  -- last_event and previous_value are for the history: see selections.ts.
  create table selections (
    user_id blob not null references users on delete cascade,
    key_no integer not null,
    app_id integer not null,
    selection_id blob not null,
    revision integer not null,
    value text not null,
    language text,
    created_at integer not null,
    updated_at integer not null,
    last_event integer not null,
    previous_value text,
    primary key (user_id, key_no)
  ) strict, without rowid;
  create index selections_by_key on selections (app_id, key_no);

  create table selection_events (
    user_id blob not null references users on delete cascade,
    selection_id blob not null,
    event_no integer not null,
    key_no integer not null,
    at integer not null,
    means text not null,
    from_value text,
    to_value text,
    primary key (user_id, selection_id, event_no)
  ) strict, without rowid;

  create table signing_keys (
    generation integer primary key,
    kid text not null unique,
    sealed_private_key text not null,
    public_jwk text not null,
    created_at integer not null,
    signs_from integer not null,
    published_until integer
  ) strict;

  create table change_log (
    version integer primary key autoincrement,
    subject text not null,
    app_id integer,
    at integer not null
  ) strict;

  create table facts (
    name text primary key,
    value text not null
  ) strict, without rowid;
  `,
  // Tokens that could do everything still can.
  "update manage_tokens set access = 'own' where access = 'write'",
  `
  -- Roughly: see directory.ts.
  alter table application_secrets add column last_used_at integer;

  -- Throw-away users of "try it", noted before they are made: whatever happens meanwhile, they go at their end.
  create table trial_users (
    app_id integer not null references applications on delete cascade,
    client_user_id text not null,
    ends_at integer not null,
    primary key (app_id, client_user_id)
  ) strict, without rowid;
  `,
  `
  -- Statistics: counts of an hour and of a day, each flush adds to both.
  create table activity (
    app_id integer not null references applications on delete cascade,
    step text not null,
    at integer not null,
    name text not null,
    count integer not null,
    last_at integer not null,
    primary key (app_id, step, name, at)
  ) strict, without rowid;
  create index activity_by_age on activity (step, at);

  -- The latest requests. What tells of a user goes with the user.
  create table request_log (
    app_id integer not null references applications on delete cascade,
    request_uid blob not null,
    user_id blob references users on delete cascade,
    at integer not null,
    method text not null,
    route text,
    path text not null,
    status integer not null,
    code text,
    milliseconds real not null,
    request_id text not null,
    address text not null,
    user_agent text not null,
    credentials text not null,
    request text,
    answer text,
    primary key (app_id, request_uid)
  ) strict, without rowid;
  create index request_log_by_user on request_log (user_id);
  create index request_log_by_age on request_log (at);

  -- Who changed what. Without an application: about the installation.
  create table audit_log (
    audit_uid blob primary key,
    app_id integer references applications on delete cascade,
    user_id blob references users on delete set null,
    at integer not null,
    actor text not null,
    action text not null,
    subject text not null,
    before text,
    after text
  ) strict, without rowid;
  create index audit_log_by_application on audit_log (app_id, audit_uid);
  create index audit_log_by_user on audit_log (user_id);
  create index audit_log_by_age on audit_log (at);
  `,
  `
  -- Counting how users chose reads this index alone, in order: 30 times as fast as going from it to each selection.
  drop index selections_by_key;
  create index selections_by_key on selections (app_id, key_no, value, updated_at);
  `,
  `
  -- What is to become of a catalog, as it differs from the revision it was begun from: see port.ts.
  create table catalog_drafts (
    app_id integer primary key references applications on delete cascade,
    draft_id blob not null,
    version integer not null,
    base_revision integer not null,
    languages text not null,
    created_by text not null,
    created_at integer not null,
    updated_by text not null,
    updated_at integer not null
  ) strict;

  create table catalog_draft_items (
    app_id integer not null references catalog_drafts on delete cascade,
    item_uid blob not null,
    kind text not null,
    group_uid blob,
    key_no integer,
    document text not null,
    primary key (app_id, item_uid)
  ) strict, without rowid;

  create table catalog_draft_edits (
    app_id integer not null references catalog_drafts on delete cascade,
    version integer not null,
    kind text not null,
    author text not null,
    at integer not null,
    difference text not null,
    inverse text not null,
    spent integer not null,
    primary key (app_id, version)
  ) strict, without rowid;
  `,
  `
  -- Until now everybody was the owner of everything.
  update accounts set role = 'administrator';
  alter table accounts add column password_hash text;
  alter table accounts add column sealed_totp text;
  alter table accounts add column pending_totp text;
  alter table accounts add column totp_step integer not null default 0;
  alter table accounts add column preferences text not null default '{}';
  alter table sessions add column means text not null default 'link';

  create table recovery_codes (
    account_id blob not null references accounts on delete cascade,
    code_hash blob not null,
    primary key (account_id, code_hash)
  ) strict, without rowid;

  create table memberships (
    app_id integer not null references applications on delete cascade,
    account_id blob not null references accounts on delete cascade,
    role text not null,
    created_at integer not null,
    primary key (app_id, account_id)
  ) strict, without rowid;
  create index memberships_by_account on memberships (account_id);

  create table invitations (
    invitation_id blob primary key,
    link_hash blob not null unique,
    app_id integer not null references applications on delete cascade,
    email text not null,
    email_key text not null,
    role text not null,
    invited_by text not null,
    created_at integer not null,
    expires_at integer not null,
    unique (app_id, email_key)
  ) strict, without rowid;
  create index invitations_by_end on invitations (expires_at);

  -- How far attempts to sign in have used up their allowance: until when, if no more came.
  create table sign_in_attempts (
    subject_hash blob primary key,
    due_at integer not null
  ) strict, without rowid;
  create index sign_in_attempts_by_end on sign_in_attempts (due_at);
  `,
  `
  -- Whose invitation it is, and ends with: the account's that made it, also by a token. Null: the operator's.
  alter table invitations add column inviter_id blob references accounts on delete cascade;
  create index invitations_by_inviter on invitations (inviter_id);
  update invitations set inviter_id = (select a.account_id from accounts a where a.email = invited_by);
  `,
  `
  -- How far allowances of requests are used up: until when, if no more came.
  create table rate_limits (
    subject_hash blob primary key,
    due_at integer not null
  ) strict, without rowid;
  create index rate_limits_by_end on rate_limits (due_at);
  `,
  `
  -- Hashes of the codes of users that were deleted, and nothing else of them: an import of an older export must not bring them back.
  create table deleted_users (
    app_id integer not null,
    code_hash blob not null,
    at integer not null,
    primary key (app_id, code_hash)
  ) strict, without rowid;
  create index deleted_users_by_time on deleted_users (at);
  `,
  `
  -- updated_at: null until something of the user changes; then it was last changed when it was created.
  alter table users add column status text not null default 'active';
  alter table users add column updated_at integer;
  `,
  `
  -- Who chose what, in the order of users: see user-walk.ts. Counting reads the same index alone, as before.
  drop index selections_by_key;
  create index selections_by_key on selections (app_id, key_no, value, user_id, updated_at);
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
  update catalog_revisions set authors = json_array(author);
  alter table catalog_drafts add column authors text not null default '[]';
  update catalog_drafts set authors =
    case when created_by = updated_by then json_array(created_by) else json_array(created_by, updated_by) end;
  -- Archiving a group leaves its keys as they are. Those that were archived with their group are live in it again, so that
  -- it comes back with them.
  update catalog_items set document = substr(document, 1, length(document) - length('true}')) || 'false}'
  where kind = 'key' and until_revision is null and substr(document, -16) = '"archived":true}'
    and exists (
      select 1 from catalog_items g where g.app_id = catalog_items.app_id and g.item_uid = catalog_items.group_uid
        and g.until_revision is null and g.from_revision = catalog_items.from_revision and g.document like '%"archived":true,"position"%')
    and exists (
      select 1 from catalog_items k where k.app_id = catalog_items.app_id and k.item_uid = catalog_items.item_uid
        and k.until_revision = catalog_items.from_revision and substr(k.document, -17) = '"archived":false}');
  `,
  `
  -- What happened, in order, for those who follow an application: see port/events.ts. Ids alone: what is told of a user is in rows of the
  -- user, which go with it. Numbers begin at the time, in microseconds, so that none is used again after a restore.
  create table events (
    no integer primary key autoincrement,
    app_id integer not null,
    type integer not null,
    at integer not null,
    user_id blob,
    selection_id blob,
    event_no integer,
    key_no integer,
    revision integer,
    data text
  ) strict;
  create index events_by_application on events (app_id);
  insert into sqlite_sequence (name, seq) values ('events', cast(unixepoch('subsec') * 1000000 as integer));

  -- What a user was until the event of this number.
  create table user_changes (
    user_id blob not null references users on delete cascade,
    until_no integer not null,
    app_id integer not null,
    client_user_id text not null,
    client_user_name text not null,
    status text not null,
    primary key (user_id, until_no)
  ) strict, without rowid;
  create index user_changes_by_application on user_changes (app_id, until_no);

  -- The newest event that was purged.
  create table event_floors (
    app_id integer primary key references applications on delete cascade,
    no integer not null
  ) strict;
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
    webhook_id blob primary key,
    app_id integer not null references applications on delete cascade,
    url text not null,
    types text not null,
    description text not null,
    sealed_secret text not null,
    sealed_previous text,
    previous_expires_at integer,
    created_at integer not null,
    off text,
    last_success_at integer,
    failing_since integer,
    read_after integer not null,
    read_since integer not null,
    lease_owner blob,
    lease_until integer not null default 0
  ) strict, without rowid;
  create index webhooks_by_application on webhooks (app_id);

  -- An event and where it is sent, without what the event tells. event_no: null for a test.
  create table webhook_deliveries (
    webhook_id blob not null references webhooks on delete cascade,
    delivery_id blob not null,
    event_no integer,
    type text not null,
    user_id blob,
    created_at integer not null,
    state text not null,
    attempts integer not null default 0,
    next_at integer,
    last_at integer,
    status integer,
    problem text,
    milliseconds integer,
    ended_at integer,
    primary key (webhook_id, delivery_id)
  ) strict, without rowid;
  create unique index webhook_deliveries_by_event on webhook_deliveries (webhook_id, event_no);
  create index webhook_deliveries_open on webhook_deliveries (webhook_id, user_id, event_no) where ended_at is null;
  create index webhook_deliveries_due on webhook_deliveries (webhook_id, next_at) where next_at is not null;
  create index webhook_deliveries_failed on webhook_deliveries (webhook_id, delivery_id) where state = 'failed';
  create index webhook_deliveries_by_end on webhook_deliveries (ended_at) where ended_at is not null;

  -- How a receiver answered may tell of the user whom the event is about: it goes with the user.
  create table webhook_responses (
    webhook_id blob not null,
    delivery_id blob not null,
    user_id blob references users on delete cascade,
    body text not null,
    primary key (webhook_id, delivery_id),
    foreign key (webhook_id, delivery_id) references webhook_deliveries on delete cascade
  ) strict, without rowid;
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
    app_id integer not null references applications on delete cascade,
    text_key text not null,
    source_key text not null,
    reviewed integer not null,
    primary key (app_id, text_key)
  ) strict, without rowid;
  `,
  'alter table catalog_revisions add column note text',
  // Users from one day to another, and the newest first: see user-walk.ts.
  'create index users_by_creation on users (app_id, created_at, user_id)',
];

export const LATEST_MIGRATION = MIGRATIONS.length;

export function migrationState(database: DatabaseSync): MigrationState {
  const row = database.prepare('pragma user_version').get() as { user_version: number };
  return { applied: row.user_version, latest: LATEST_MIGRATION };
}

/** Under the write lock, so that processes starting at once run each migration once. */
export function migrate(database: DatabaseSync, upTo = LATEST_MIGRATION): MigrationState {
  for (;;) {
    database.exec('begin immediate');
    try {
      const { applied, latest } = migrationState(database);
      if (applied > latest) {
        throw new Error(
          `This database was last used by a newer Innkeeper (schema ${applied}; this version supports ${latest}). Run that version or a later one.`,
        );
      }
      if (applied >= upTo) {
        database.exec('rollback');
        return { applied, latest };
      }
      // A new database has no rows to migrate: one flush to disk for all.
      const reached = applied === 0 ? upTo : applied + 1;
      const isNew = applied === 0 && reached === LATEST_MIGRATION;
      const pending = isNew ? NEW_SCHEMA : MIGRATIONS.slice(applied, reached).join(';');
      database.exec(`${pending}; pragma user_version = ${reached}; commit`);
    } catch (error) {
      if (database.isTransaction) database.exec('rollback');
      throw error;
    }
  }
}
