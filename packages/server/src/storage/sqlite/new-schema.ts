// Written by scripts/write-new-schema.ts from migrations.ts: run `npm run docs` after a new migration.

/** The tables of a new database, in a quarter of the time that the migrations take. */
export const NEW_SCHEMA = `
CREATE TABLE applications (
    app_id integer primary key,
    client_id text not null unique,
    name text not null,
    settings text not null,
    created_at integer not null
  , logo text) strict;
CREATE TABLE application_secrets (
    secret_hash blob primary key,
    app_id integer not null references applications on delete cascade,
    created_at integer not null,
    expires_at integer
  , last_used_at integer) strict, without rowid;
CREATE INDEX application_secrets_by_application on application_secrets (app_id);
CREATE TABLE users (
    user_id blob primary key,
    app_id integer not null references applications on delete cascade,
    client_user_id text not null,
    created_at integer not null
  , status text not null default 'active', updated_at integer, link_generation integer not null default 0) strict, without rowid;
CREATE INDEX users_by_application on users (app_id);
CREATE TABLE profiles (
    app_id integer not null references applications on delete cascade,
    client_user_id text not null,
    user_id blob not null,
    client_user_name text not null,
    primary key (app_id, client_user_id)
  ) strict, without rowid;
CREATE TABLE special_tokens (
    token_hash blob primary key,
    user_id blob not null unique references users on delete cascade,
    expires_at integer not null
  ) strict, without rowid;
CREATE INDEX special_tokens_by_end on special_tokens (expires_at);
CREATE TABLE access_tokens (
    token_id blob primary key,
    user_id blob not null references users on delete cascade,
    issued_at integer not null,
    expires_at integer not null
  ) strict, without rowid;
CREATE INDEX access_tokens_by_user on access_tokens (user_id);
CREATE INDEX access_tokens_by_end on access_tokens (expires_at);
CREATE TABLE accounts (
    account_id blob primary key,
    email text not null,
    email_key text not null unique,
    role text not null,
    created_at integer not null
  , password_hash text, sealed_totp text, pending_totp text, totp_step integer not null default 0, preferences text not null default '{}', oidc_subject text) strict, without rowid;
CREATE TABLE sign_in_links (
    link_hash blob primary key,
    account_id blob references accounts on delete cascade,
    expires_at integer not null
  ) strict, without rowid;
CREATE INDEX sign_in_links_by_account on sign_in_links (account_id);
CREATE TABLE sessions (
    session_id blob primary key,
    session_hash blob not null unique,
    account_id blob not null references accounts on delete cascade,
    created_at integer not null,
    last_seen_at integer not null,
    ends_at integer not null,
    user_agent text not null
  , means text not null default 'link') strict, without rowid;
CREATE INDEX sessions_by_account on sessions (account_id);
CREATE INDEX sessions_by_end on sessions (ends_at);
CREATE TABLE manage_tokens (
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
CREATE INDEX manage_tokens_by_account on manage_tokens (account_id);
CREATE TABLE manage_token_applications (
    token_id blob not null references manage_tokens on delete cascade,
    app_id integer not null references applications on delete cascade,
    primary key (token_id, app_id)
  ) strict, without rowid;
CREATE INDEX manage_token_applications_by_application on manage_token_applications (app_id);
CREATE TABLE idempotency_keys (
    app_id integer not null references applications on delete cascade,
    key_hash blob not null,
    body_hash blob not null,
    user_id blob not null references users on delete cascade,
    expires_at integer not null,
    primary key (app_id, key_hash)
  ) strict, without rowid;
CREATE INDEX idempotency_keys_by_user on idempotency_keys (user_id);
CREATE INDEX idempotency_keys_by_end on idempotency_keys (expires_at);
CREATE TABLE catalog_revisions (
    app_id integer not null references applications on delete cascade,
    revision integer not null,
    created_at integer not null,
    author text not null,
    difference text not null,
    languages text not null, authors text not null default '[]', note text,
    primary key (app_id, revision)
  ) strict, without rowid;
CREATE TABLE catalog_items (
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
CREATE TABLE selections (
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
    previous_value text, texts text, means text, shown_in text,
    primary key (user_id, key_no)
  ) strict, without rowid;
CREATE TABLE selection_events (
    user_id blob not null references users on delete cascade,
    selection_id blob not null,
    event_no integer not null,
    key_no integer not null,
    at integer not null,
    means text not null,
    from_value text,
    to_value text, language text, actor text,
    primary key (user_id, selection_id, event_no)
  ) strict, without rowid;
CREATE TABLE signing_keys (
    generation integer primary key,
    kid text not null unique,
    sealed_private_key text not null,
    public_jwk text not null,
    created_at integer not null,
    signs_from integer not null,
    published_until integer
  , algorithm text not null default 'EdDSA') strict;
CREATE TABLE change_log (
    version integer primary key autoincrement,
    subject text not null,
    app_id integer,
    at integer not null
  ) strict;
CREATE TABLE facts (
    name text primary key,
    value text not null
  ) strict, without rowid;
CREATE TABLE trial_users (
    app_id integer not null references applications on delete cascade,
    client_user_id text not null,
    ends_at integer not null,
    primary key (app_id, client_user_id)
  ) strict, without rowid;
CREATE TABLE activity (
    app_id integer not null references applications on delete cascade,
    step text not null,
    at integer not null,
    name text not null,
    count integer not null,
    last_at integer not null,
    primary key (app_id, step, name, at)
  ) strict, without rowid;
CREATE INDEX activity_by_age on activity (step, at);
CREATE TABLE request_log (
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
CREATE INDEX request_log_by_user on request_log (user_id);
CREATE INDEX request_log_by_age on request_log (at);
CREATE TABLE audit_log (
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
CREATE INDEX audit_log_by_application on audit_log (app_id, audit_uid);
CREATE INDEX audit_log_by_user on audit_log (user_id);
CREATE INDEX audit_log_by_age on audit_log (at);
CREATE TABLE catalog_drafts (
    app_id integer primary key references applications on delete cascade,
    draft_id blob not null,
    version integer not null,
    base_revision integer not null,
    languages text not null,
    created_by text not null,
    created_at integer not null,
    updated_by text not null,
    updated_at integer not null
  , authors text not null default '[]') strict;
CREATE TABLE catalog_draft_items (
    app_id integer not null references catalog_drafts on delete cascade,
    item_uid blob not null,
    kind text not null,
    group_uid blob,
    key_no integer,
    document text not null,
    primary key (app_id, item_uid)
  ) strict, without rowid;
CREATE TABLE catalog_draft_edits (
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
CREATE TABLE recovery_codes (
    account_id blob not null references accounts on delete cascade,
    code_hash blob not null,
    primary key (account_id, code_hash)
  ) strict, without rowid;
CREATE TABLE memberships (
    app_id integer not null references applications on delete cascade,
    account_id blob not null references accounts on delete cascade,
    role text not null,
    created_at integer not null, languages text,
    primary key (app_id, account_id)
  ) strict, without rowid;
CREATE INDEX memberships_by_account on memberships (account_id);
CREATE TABLE invitations (
    invitation_id blob primary key,
    link_hash blob not null unique,
    app_id integer not null references applications on delete cascade,
    email text not null,
    email_key text not null,
    role text not null,
    invited_by text not null,
    created_at integer not null,
    expires_at integer not null, inviter_id blob references accounts on delete cascade, languages text,
    unique (app_id, email_key)
  ) strict, without rowid;
CREATE INDEX invitations_by_end on invitations (expires_at);
CREATE TABLE sign_in_attempts (
    subject_hash blob primary key,
    due_at integer not null
  ) strict, without rowid;
CREATE INDEX sign_in_attempts_by_end on sign_in_attempts (due_at);
CREATE INDEX invitations_by_inviter on invitations (inviter_id);
CREATE TABLE rate_limits (
    subject_hash blob primary key,
    due_at integer not null
  ) strict, without rowid;
CREATE INDEX rate_limits_by_end on rate_limits (due_at);
CREATE TABLE deleted_users (
    app_id integer not null,
    code_hash blob not null,
    at integer not null, deleted_rows text,
    primary key (app_id, code_hash)
  ) strict, without rowid;
CREATE INDEX deleted_users_by_time on deleted_users (at);
CREATE INDEX selections_by_key on selections (app_id, key_no, value, user_id, updated_at);
CREATE INDEX users_not_active on users (app_id, user_id) where status <> 'active';
CREATE TABLE events (
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
CREATE INDEX events_by_application on events (app_id);
CREATE TABLE user_changes (
    user_id blob not null references users on delete cascade,
    until_no integer not null,
    app_id integer not null,
    client_user_id text not null,
    client_user_name text not null,
    status text not null,
    primary key (user_id, until_no)
  ) strict, without rowid;
CREATE INDEX user_changes_by_application on user_changes (app_id, until_no);
CREATE TABLE event_floors (
    app_id integer primary key references applications on delete cascade,
    no integer not null
  ) strict;
CREATE TABLE webhooks (
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
  , max_per_second integer) strict, without rowid;
CREATE INDEX webhooks_by_application on webhooks (app_id);
CREATE TABLE webhook_deliveries (
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
CREATE UNIQUE INDEX webhook_deliveries_by_event on webhook_deliveries (webhook_id, event_no);
CREATE INDEX webhook_deliveries_open on webhook_deliveries (webhook_id, user_id, event_no) where ended_at is null;
CREATE INDEX webhook_deliveries_due on webhook_deliveries (webhook_id, next_at) where next_at is not null;
CREATE INDEX webhook_deliveries_failed on webhook_deliveries (webhook_id, delivery_id) where state = 'failed';
CREATE INDEX webhook_deliveries_by_end on webhook_deliveries (ended_at) where ended_at is not null;
CREATE TABLE webhook_responses (
    webhook_id blob not null,
    delivery_id blob not null,
    user_id blob references users on delete cascade,
    body text not null,
    primary key (webhook_id, delivery_id),
    foreign key (webhook_id, delivery_id) references webhook_deliveries on delete cascade
  ) strict, without rowid;
CREATE INDEX webhook_responses_by_user on webhook_responses (user_id);
CREATE UNIQUE INDEX accounts_by_oidc_subject on accounts (oidc_subject);
CREATE TABLE text_states (
    app_id integer not null references applications on delete cascade,
    text_key text not null,
    source_key text not null,
    reviewed integer not null,
    primary key (app_id, text_key)
  ) strict, without rowid;
CREATE INDEX users_by_creation on users (app_id, created_at, user_id);
insert into sqlite_sequence (name, seq) values ('events', cast(unixepoch('subsec') * 1000000 as integer))`;
