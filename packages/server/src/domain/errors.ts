/**
 * Every error the service can return, in one closed table: 0001 and up for users and tokens, 1001 and up for profile
 * options, 9 with the HTTP status for everything else. docs/errors.md is generated from this table. `status` is given
 * where the code does not imply it: see `impliedStatus`.
 */
const TABLE = {
  // ---- users and tokens
  duplicateUser: {
    code: '0001',
    message: 'clientUserId already belongs to another user of this application, so the user cannot be assigned.',
    remedy:
      'Use another clientUserId, or get a specialToken for the existing user with POST /api/v2/app/special-token.',
  },
  tokenNotGenerated: {
    code: '0002',
    message:
      'The access token could not be generated, so no token can be added to the user. The specialToken is still valid.',
    remedy:
      'Resume the user if suspended; otherwise run `innkeeper doctor` (token service or clock). Then exchange the same specialToken again.',
  },
  clientIdMissing: {
    code: '0004',
    message: 'clientId is missing.',
    remedy: 'Send the clientId from the application settings.',
  },
  clientUserIdMissing: {
    code: '0005',
    message: 'clientUserId is missing.',
    remedy: 'Send your identifier of the user, 1 to 255 characters.',
  },
  secretAndTokenNotRecognised: {
    code: '0006',
    message: 'No application is recognised from this clientSecret and specialToken.',
    remedy: 'Use the clientSecret of the application that created the user.',
  },
  clientSecretMissingOnCreate: {
    code: '0007',
    message: 'clientSecret is missing: it is required with clientId to recognise the application.',
    remedy: 'Send the clientSecret of the application.',
  },
  clientSecretMissingOnExchange: {
    code: '0007',
    message: 'clientSecret is missing: it is required with specialToken to issue an access token.',
    remedy: 'Send the clientSecret of the application.',
  },
  specialTokenInvalid: {
    code: '0008',
    message: 'specialToken is invalid: it is unknown, already used or expired.',
    remedy: 'Get a new one with POST /api/v2/app/special-token.',
  },
  tokenServiceUnreachable: {
    code: '0009',
    message: 'The OAuth 2.0 token service cannot be reached. The specialToken is still valid: try again shortly.',
    remedy: 'Try again with the same specialToken. Operators: run `innkeeper doctor`.',
  },
  onlyPost: {
    code: '0010',
    message: 'Only POST is accepted.',
    remedy: 'Send the request as POST with a JSON body.',
  },
  secretWrong: {
    code: '0011',
    message: 'The application is not recognised from this clientId and clientSecret.',
    remedy: 'Check the clientSecret; it may have been rotated.',
  },
  credentialsWrong: {
    code: '0011',
    message:
      "Credentials are required: clientId and clientSecret of this application as HTTP Basic, or the user's own access token as Bearer.",
    remedy: 'Send one of them in the Authorization header.',
  },
  backEndCredentialsWrong: {
    code: '0011',
    message: 'HTTP Basic with clientId and clientSecret of this application is required.',
    remedy: 'Send them in the Authorization header, from your server.',
  },
  clientCredentialsWrong: {
    code: '0011',
    status: 401,
    message: 'The application is not recognised from this client id and client secret.',
    remedy: 'Send them as HTTP Basic or in the form body (client_id, client_secret).',
  },
  applicationUnknown: {
    code: '0012',
    message: 'The application is not recognised from this clientId.',
    remedy: 'Copy the clientId from the application settings; it must match exactly.',
  },
  specialTokenMissing: {
    code: '0016',
    message: 'specialToken is missing.',
    remedy: 'Send the specialToken returned by create-user.',
  },
  bodyNotJson: {
    code: '0021',
    message: 'The body is not a valid JSON object.',
    remedy: 'Send one JSON object in UTF-8, without duplicate members.',
  },
  clientUserNameMissing: {
    code: '0023',
    message: 'clientUserName is missing.',
    remedy: 'Send the display name of the user, 1 to 255 characters.',
  },
  profileExists: {
    code: '0024',
    message: 'The user profile cannot be created: a profile with this clientUserId already exists without a user.',
    remedy:
      'An import or restore left it behind. Import the whole user (`innkeeper users import`), or use another clientUserId.',
  },
  userUnknown: {
    code: '0025',
    message: 'The user code is invalid or missing: this application has no such user.',
    remedy: 'Use the service_user_code returned by get-access-token.',
  },
  clientUserUnknown: {
    code: '0025',
    message: 'No user of this application has this clientUserId.',
    remedy: 'Create the user with POST /api/v2/app/create-user.',
  },

  usersBadRequest: {
    code: '9400',
    message: 'A parameter or a member of the body is invalid.',
    remedy: 'The message names the field and what is allowed.',
  },

  cursorInvalid: {
    code: '9400',
    message: 'The cursor is invalid.',
    remedy: 'Send `next` of an earlier response of the same application, `latest`, or nothing for the oldest event.',
  },
  cursorExpired: {
    code: '9410',
    message: 'Events after this cursor are no longer kept.',
    remedy:
      'You missed events: compare your copy with the users and selections, then continue with `oldest`. eventsKept sets how long events are kept.',
  },

  // ---- profile options
  apiKeyMissing: {
    code: '1001',
    status: 401,
    message: 'The header apiKey is missing.',
    remedy: 'Send the clientId of the application as the header apiKey.',
  },
  apiKeyUnknown: {
    code: '1002',
    status: 401,
    message: 'No application has this apiKey.',
    remedy: 'Copy the clientId from the application settings; it must match exactly.',
  },
  languageUnknown: {
    code: '1003',
    status: 400,
    message: 'The application does not support this language.',
    remedy: 'Use the name or tag of a supported language; `errors` lists them.',
    namesFields: true,
  },
  groupNotFound: {
    code: '1004',
    status: 404,
    message: 'Option group not found in this application.',
    remedy: 'Use a group from GET /api/option_groups.',
    namesFields: true,
  },
  keyNotFound: {
    code: '1005',
    status: 404,
    message: 'Option key not found in this application or group.',
    remedy: 'Use a key from GET /api/option_keys.',
    namesFields: true,
  },
  profileUserNotFound: {
    code: '1006',
    status: 404,
    message: 'User not found in this application.',
    remedy: 'Send the service_user_code returned by get-access-token as user_uid.',
    namesFields: true,
  },
  accessTokenInvalid: {
    code: '1007',
    status: 401,
    message: 'The access token is not valid for this application and user.',
    remedy: 'Get a new one from get-access-token. If you also send user_uid, both must identify the same user.',
  },
  valueNotAllowed: {
    code: '1008',
    status: 422,
    message: 'A value is not allowed for this option key.',
    remedy: '`errors` lists each invalid value and what is allowed.',
    namesFields: true,
  },
  badParameter: {
    code: '1009',
    status: 400,
    message: 'A parameter or the body is invalid.',
    remedy: '`errors` lists the first invalid fields.',
    namesFields: true,
  },
  userMissing: {
    code: '1009',
    status: 400,
    message: 'user_uid or access_token is required.',
    remedy: 'Send one in the body, or the access token as Bearer.',
    namesFields: true,
  },
  groupsDisagree: {
    code: '1010',
    status: 400,
    message: 'option_group_uid and option_group_name identify different groups.',
    remedy: 'Send one of them.',
    namesFields: true,
  },
  userCredentialsNeeded: {
    code: '1011',
    status: 401,
    message:
      "Authorization is required: the user's access token as Bearer, or the application's credentials as HTTP Basic.",
    remedy: 'apiKey alone is not enough. Send an Authorization header.',
  },
  keyArchived: {
    code: '1012',
    status: 409,
    message: 'The option key is archived and can no longer be chosen.',
    remedy: 'Offer only keys from GET /api/option_keys.',
    namesFields: true,
  },
  selectionChanged: {
    code: '1014',
    status: 412,
    message: 'The record has changed.',
    remedy: '`current` is the record now, or null. Decide again, and send its `etag`.',
    namesFields: true,
  },
  userUidNotAccepted: {
    code: '1011',
    status: 401,
    message: "This application does not accept user_uid for saving: send the user's access token.",
    remedy: 'Send access_token, or the access token as Bearer; or set saveByUserUid to secret or open.',
  },
  userSuspended: {
    code: '1013',
    status: 403,
    message: 'The user is suspended.',
    remedy: 'Resume the user: PATCH /api/v2/app/{clientId}/users/{serviceUserCode} with {"status":"active"}.',
    namesFields: true,
  },
  selectionNotFound: {
    code: '9404',
    message: 'Selection not found for this user.',
    remedy: 'Use a user_options_uid from GET /api/user_options.',
  },

  // ---- /manage/v1: 9 and the HTTP status
  manageBadRequest: {
    code: '9400',
    message: 'A parameter or the body is invalid.',
    remedy: '`errors` lists the first invalid fields.',
    namesFields: true,
  },
  manageTokenMissing: {
    code: '9401',
    message: 'A personal access token as Bearer, or a portal session, is required.',
    remedy: 'Create a token: `innkeeper token create --name NAME`.',
  },
  manageTokenInvalid: {
    code: '9401',
    message: 'The personal access token is invalid: it is unknown, revoked or expired.',
    remedy: 'Check `innkeeper token list`, or create a new one.',
  },
  sessionEnded: {
    code: '9401',
    message: 'This portal session has ended.',
    remedy: 'Sign in again.',
  },
  linkInvalid: {
    code: '9401',
    message: 'This link is no longer valid: it was used, has expired or was replaced by a newer one.',
    remedy: 'Ask the sender for a new one. Operators: `innkeeper admin create --email E`.',
  },
  preferenceLinkInvalid: {
    code: '9404',
    message: 'This link is not valid.',
    remedy: 'It expired, was withdrawn or is incomplete. Create a new one with POST …/preference-link.',
  },
  signInFailed: {
    code: '9401',
    message: 'Wrong e-mail address, password or code.',
    remedy:
      'Try again; each code works once. Forgotten? Ask the operator for a link: `innkeeper admin create --email E`.',
  },
  codeNeeded: {
    code: '9401',
    message: 'An authenticator code or a recovery code is also required.',
    remedy: 'Send it as `code`. If you have neither, ask the operator: `innkeeper admin reset EMAIL --totp`.',
  },
  passwordWrong: {
    code: '9403',
    message: 'Wrong password.',
    remedy: 'Send the password you sign in with.',
  },
  codeWrong: {
    code: '9403',
    message: 'An authenticator code or a recovery code is also required: it is missing or wrong.',
    remedy: 'Send it as `code`. Each code works once: if you just signed in with it, wait for the next.',
  },
  linkNeeded: {
    code: '9403',
    message: 'Sign in again with a new link to confirm this.',
    remedy:
      'Ask the operator for a link: `innkeeper admin create --email E`. Set a password or turn on two-step sign-in within 15 minutes of signing in with it.',
  },
  invitationNotYours: {
    code: '9403',
    message: 'This invitation is for another e-mail address.',
    remedy: 'Sign in with the account it is for, or ask for a new invitation.',
  },
  foreignPage: {
    code: '9403',
    message: 'This request does not come from the portal.',
    remedy:
      'Programs use a personal access token. With a session, send X-Innkeeper-Portal: 1 from the origin of the portal.',
  },
  sessionNeeded: {
    code: '9403',
    message: 'This requires a portal session; tokens are not accepted.',
    remedy: 'Use the portal or `innkeeper token`.',
  },
  manageForbidden: {
    code: '9403',
    message: 'Your role or token does not allow this.',
    remedy: 'Use a higher role or a token with more --access (without --app to create applications).',
  },
  applicationNotFound: {
    code: '9404',
    message: 'Application not found, or this token has no access to it.',
    remedy: 'Use a clientId from GET /manage/v1/applications.',
  },
  userNotFound: {
    code: '9404',
    message: 'User not found in this application.',
    remedy: 'Use a userUid from GET …/users.',
  },
  loggedRequestNotFound: {
    code: '9404',
    message: 'Request not found in the log; it may have expired.',
    remedy: 'Use a requestUid from GET …/requests.',
  },
  catalogItemNotFound: {
    code: '9404',
    message: 'Group or key not found in the catalog of this application.',
    remedy: 'Use a groupUid and keyUid from GET …/catalog/tree.',
  },
  revisionNotFound: {
    code: '9404',
    message: 'Catalog revision not found.',
    remedy: 'Use a revision from GET …/revisions.',
  },
  draftNotFound: {
    code: '9404',
    message: 'This application has no catalog draft.',
    remedy: 'It was published, discarded or never started. Any edit with draft=true starts one.',
  },
  accessTokenNotFound: {
    code: '9404',
    message: 'Access token not found for this user.',
    remedy: 'Use a tokenId from GET …/users/{userUid}.',
  },
  sessionNotFound: {
    code: '9404',
    message: 'Session not found.',
    remedy: 'Use a sessionId from GET /manage/v1/account/sessions.',
  },
  manageTokenNotFound: {
    code: '9404',
    message: 'Personal access token not found.',
    remedy: 'Use a tokenId from GET /manage/v1/tokens; in a portal session, GET /manage/v1/account/tokens.',
  },
  previousSecretValid: {
    code: '9409',
    message: 'The previous secret is still valid, and another rotation would revoke it. Nothing was changed.',
    remedy:
      'Deploy the current secret and wait until the previous one expires, or send revokePrevious=true to revoke it now.',
  },
  areasNotServed: {
    code: '9409',
    message: 'This process does not serve users and options, so the flow cannot run.',
    remedy: 'Use a process whose INNKEEPER_SERVE includes users, options and portal.',
  },
  memberNotFound: {
    code: '9404',
    message: 'Member not found in this application.',
    remedy: 'Use an accountId from GET …/members.',
  },
  invitationNotFound: {
    code: '9404',
    message: 'Invitation not found in this application.',
    remedy: 'Use an invitationId from GET …/invitations.',
  },
  webhookNotFound: {
    code: '9404',
    message: 'Webhook not found in this application.',
    remedy: 'Use a webhookId from GET …/webhooks.',
  },
  deliveryNotFound: {
    code: '9404',
    message: 'Delivery not found; it may have expired.',
    remedy: 'Use a deliveryId from GET …/webhooks/{webhookId}/deliveries.',
  },
  tooManyWebhooks: {
    code: '9409',
    message: 'An application can have at most 10 webhooks.',
    remedy: 'Delete a webhook first, or add types to an existing one.',
  },
  limitReached: {
    code: '9409',
    status: 409,
    message: 'The maximum number of personal access tokens or pending invitations has been reached.',
    remedy: 'Revoke one that is no longer needed.',
  },
  webhookIsOff: {
    code: '9409',
    message: 'This webhook is switched off.',
    remedy: 'Switch it on first: PATCH it with enabled=true.',
  },
  deliveryIsTest: {
    code: '9409',
    message: 'A test cannot be sent again.',
    remedy: 'Send another test.',
  },
  testInFlight: {
    code: '9429',
    message: 'Another test of this application is being sent.',
    remedy: 'Wait for Retry-After.',
  },
  clientUserIdTaken: {
    code: '9409',
    message: 'Another user or profile of this application has this clientUserId.',
    remedy: 'Use another clientUserId.',
  },
  alreadyMember: {
    code: '9409',
    message: 'This e-mail address already belongs to a member.',
    remedy: 'Change the role of this member instead.',
  },
  lastOwner: {
    code: '9409',
    message: 'An application needs at least one owner.',
    remedy: 'Make another member an owner first.',
  },
  accountThere: {
    code: '9409',
    message: 'An account with this e-mail address already exists.',
    remedy: 'Sign in with it, then accept the invitation.',
  },
  passwordsOff: {
    code: '9409',
    message: 'Passwords are switched off. Sign in with the identity provider.',
    remedy: 'Use the identity provider, or ask the operator for a sign-in link (innkeeper admin create).',
  },
  mailOff: {
    code: '9409',
    message: 'This service does not send e-mail.',
    remedy: 'Ask the operator for a sign-in link (innkeeper admin create), or to set INNKEEPER_SMTP_URL.',
  },
  totpOn: {
    code: '9409',
    message: 'Two-step sign-in is already on.',
    remedy: 'To use another app, turn it off first.',
  },
  totpNotBegun: {
    code: '9409',
    message: 'There is no setup key to confirm: start the setup again.',
    remedy: 'Start with POST /manage/v1/account/totp.',
  },
  totpOff: {
    code: '9409',
    message: 'Two-step sign-in is off.',
    remedy: 'Turn it on first.',
  },
  catalogBreaking: {
    code: '9409',
    message: 'The change is breaking. Nothing was published.',
    remedy: '`breaking` lists each change and the selections it affects. Send allow_breaking=true to publish anyway.',
  },
  textsConflict: {
    code: '9409',
    message: 'The file and the catalog both changed a text since the export. Nothing was changed.',
    remedy: '`conflicts` lists both texts. Send prefer=file or prefer=catalog, or list texts in take.',
  },
  nothingToUndo: {
    code: '9409',
    message: 'This draft has no edit to undo.',
    remedy: 'Only the last hundred edits can be undone; DELETE discards the whole draft.',
  },
  nothingToRedo: {
    code: '9409',
    message: 'This draft has no undone edit to redo.',
    remedy: 'Redo is possible until the next edit.',
  },
  draftChanged: {
    code: '9412',
    message: 'The draft has changed since the version in If-Match. Nothing was changed.',
    remedy:
      '`edits` and `revisions` list the changes since then. Read the catalog with draft=true, apply your change and send the new ETag.',
  },
  draftOutdated: {
    code: '9412',
    message: 'A newer revision was published after this draft was started. Nothing was published.',
    remedy:
      '`revisions` lists the changes. Discard the draft, or publish with `over` set to the revision you reviewed.',
  },
  catalogChanged: {
    code: '9412',
    message: 'The catalog has changed since the revision in If-Match. Nothing was published.',
    remedy: '`revisions` lists the changes. Read the catalog again, apply your change and send the new ETag.',
  },
  catalogInvalid: {
    code: '9422',
    message: 'The catalog is invalid. Nothing was published.',
    remedy: '`errors` lists each invalid field.',
    namesFields: true,
  },
  textsFileInvalid: {
    code: '9422',
    message: 'The texts file is invalid. Nothing was changed.',
    remedy: '`errors` lists each invalid line. Fix the file, or list texts in take.',
    namesFields: true,
  },
  ifMatchMissing: {
    code: '9428',
    message: 'The header If-Match is required; it prevents two editors from overwriting each other.',
    remedy: 'Send the ETag of the catalog, or * to overwrite any version.',
  },

  // ---- errors of any path: 9 and the HTTP status
  badRequest: {
    code: '9400',
    message: 'The request is malformed.',
    remedy: 'Send well-formed HTTP/1.1 with a valid URL.',
  },
  tokenParameterMissing: {
    code: '9400',
    message: 'The form parameter token is missing.',
    remedy: 'Send token=… as application/x-www-form-urlencoded.',
  },
  unauthorized: {
    code: '9401',
    message: 'Credentials are required.',
    remedy: 'See the operation for the credentials it accepts.',
  },
  pathUnknown: {
    code: '9404',
    message: 'Unknown path.',
    remedy: 'Check the path; it must match exactly.',
  },
  methodNotAllowed: {
    code: '9405',
    message: 'This path does not support this method.',
    remedy: 'The Allow header lists the supported methods.',
  },
  requestTimeout: {
    code: '9408',
    message: 'The request did not arrive in time.',
    remedy: 'Send the whole request within ten seconds.',
  },
  bodyTooLarge: {
    code: '9413',
    message: 'The body is larger than 64 KiB.',
    remedy: 'Send a smaller body.',
  },
  expectationFailed: {
    code: '9417',
    message: 'The value of the Expect header is not supported.',
    remedy: 'Omit the header, or send Expect: 100-continue.',
  },
  idempotencyMismatch: {
    code: '9422',
    message: 'This Idempotency-Key was already used with another body.',
    remedy: 'Reuse a key only to retry the same request.',
  },
  idempotencyKeyUnusable: {
    code: '9422',
    message: 'Idempotency-Key must be 1 to 255 characters.',
    remedy: 'Send a UUID, or omit the header.',
  },
  tooManyFailures: {
    code: '9429',
    message: 'Too many failed authentication attempts from this IP address.',
    remedy: 'Wait for Retry-After. Requests with valid credentials are still served.',
  },
  tooManySignIns: {
    code: '9429',
    message: 'Too many sign-in attempts. Try again later.',
    remedy: 'Wait for Retry-After.',
  },
  rateLimited: {
    code: '9429',
    message: 'Too many requests.',
    remedy: 'Wait for Retry-After. RateLimit-Policy has the limit, RateLimit the remaining quota.',
  },
  tooManyStreams: {
    code: '9429',
    message: 'Too many open event streams.',
    remedy: 'Close unneeded streams and wait for Retry-After, or read pages of the feed.',
  },
  headersTooLarge: {
    code: '9431',
    message: 'The request headers are larger than 16 KiB.',
    remedy: 'Send fewer or shorter headers.',
  },
  internal: {
    code: '9500',
    message: 'Internal error. The request took effect completely or not at all.',
    remedy: 'Report the X-Request-Id to the operator; the log has the cause.',
  },
  unavailable: {
    code: '9503',
    message: 'The service cannot reach its database. The request took effect completely or not at all.',
    remedy: 'Wait for Retry-After.',
  },
  overloaded: {
    code: '9503',
    message: 'The service is overloaded. The request was not processed.',
    remedy: 'Wait for Retry-After.',
  },
  tokenServiceDown: {
    code: '9503',
    message: 'The access token cannot be verified: the OAuth 2.0 token service cannot be reached.',
    remedy: 'Wait for Retry-After.',
  },
} as const satisfies Record<string, Omit<ErrorDefinition, 'status'> & { status?: number }>;

export type ErrorName = keyof typeof TABLE;

export const ERRORS = Object.fromEntries(
  Object.entries(TABLE).map(([name, entry]) => [name, { status: impliedStatus(entry.code), ...entry }]),
) as { [Name in ErrorName]: (typeof TABLE)[Name] & ErrorDefinition };

/** Errors of users and tokens are 400, as in SPEC.md. */
function impliedStatus(code: string): number {
  return code.startsWith('9') ? Number(code.slice(1)) : 400;
}

export type ErrorDefinition = {
  code: string;
  status: number;
  message: string;
  remedy: string;
  /** The response lists the invalid fields in `errors`. */
  namesFields?: boolean;
};

/** An invalid field: which, why, and what is allowed. */
export type FieldError = { field: string; message: string; allowed?: unknown };

/** Created only by name, so that no error outside the table can be returned. */
export class InnkeeperError extends Error {
  override name = 'InnkeeperError';
  readonly error: ErrorName;
  readonly headers: Record<string, string>;
  readonly fields: FieldError[] | undefined;
  /** Members of the response besides code and message. */
  readonly more: Record<string, unknown>;

  constructor(
    error: ErrorName,
    detail: {
      message?: string;
      headers?: Record<string, string>;
      fields?: FieldError[];
      more?: Record<string, unknown>;
      /** The cause, for the log. It is never sent. */
      cause?: unknown;
    } = {},
  ) {
    super(detail.message ?? ERRORS[error].message, detail.cause === undefined ? {} : { cause: detail.cause });
    this.error = error;
    this.headers = detail.headers ?? {};
    this.fields = detail.fields;
    this.more = detail.more ?? {};
  }

  get code(): string {
    return ERRORS[this.error].code;
  }

  get status(): number {
    return ERRORS[this.error].status;
  }
}
