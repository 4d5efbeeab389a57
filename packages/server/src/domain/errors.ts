/**
 * Every error the service can answer with, in one closed table. SPEC.md section 7 and CONTRACT.md
 * sections 2 and 3 give the codes; what they have no code for uses 9 and the HTTP status.
 * docs/errors.md is generated from this table.
 */
export const ERRORS = {
  // ---- area A: users and tokens
  duplicateUser: {
    code: '0001',
    status: 400,
    message: 'clientUserId is already taken by another user of this application, so the user cannot be assigned.',
    remedy:
      'Use another clientUserId, or ask for a new specialToken of the existing user with POST /api/v2/app/special-token.',
  },
  tokenNotGenerated: {
    code: '0002',
    status: 400,
    message:
      'The access token could not be generated, so no token can be added to the user. The specialToken is still good.',
    remedy: 'Look at the token service: it answered without a usable token. Then exchange the same specialToken again.',
  },
  clientIdMissing: {
    code: '0004',
    status: 400,
    message: 'clientId is missing.',
    remedy: 'Send the clientId found in the application settings.',
  },
  clientUserIdMissing: {
    code: '0005',
    status: 400,
    message: 'clientUserId is missing.',
    remedy: 'Send the identifier that your application gives to this user, 1 to 255 characters.',
  },
  secretAndTokenNotRecognised: {
    code: '0006',
    status: 400,
    message: 'No application is recognised from this clientSecret and specialToken.',
    remedy: 'Use the clientSecret of the application that created the user.',
  },
  clientSecretMissingOnCreate: {
    code: '0007',
    status: 400,
    message: 'clientSecret is missing: it is needed together with clientId to recognise the application.',
    remedy: 'Send the clientSecret of the application beside its clientId.',
  },
  clientSecretMissingOnExchange: {
    code: '0007',
    status: 400,
    message: 'clientSecret is missing: it is needed together with specialToken to give out an access token.',
    remedy: 'Send the clientSecret of the application beside the specialToken.',
  },
  specialTokenInvalid: {
    code: '0008',
    status: 400,
    message: 'specialToken is invalid: it is unknown, spent or expired.',
    remedy: 'Ask for a fresh one with POST /api/v2/app/special-token.',
  },
  tokenServiceUnreachable: {
    code: '0009',
    status: 400,
    message: 'The OAuth 2.0 token service cannot be reached. The specialToken is still good: try again shortly.',
    remedy: 'Try again with the same specialToken. Operators: see `innkeeper doctor`.',
  },
  onlyPost: {
    code: '0010',
    status: 400,
    message: 'Only POST is accepted here.',
    remedy: 'Send the request as POST with a JSON body.',
  },
  secretWrong: {
    code: '0011',
    status: 400,
    message: 'The application is not recognised from clientId and clientSecret together.',
    remedy: 'Check the clientSecret, which may have been rotated.',
  },
  credentialsWrong: {
    code: '0011',
    status: 400,
    message:
      'Credentials are needed: HTTP Basic with clientId and clientSecret of this application, or the own access token of the user as Bearer.',
    remedy: 'Send one of the two in the Authorization header.',
  },
  clientCredentialsWrong: {
    code: '0011',
    status: 401,
    message: 'The application is not recognised from its client id and client secret.',
    remedy: 'Send them as HTTP Basic, or as client_id and client_secret in the form body.',
  },
  applicationUnknown: {
    code: '0012',
    status: 400,
    message: 'The application is not recognised from clientId.',
    remedy: 'Check the clientId against the application settings; it is compared exactly.',
  },
  specialTokenMissing: {
    code: '0016',
    status: 400,
    message: 'specialToken is missing.',
    remedy: 'Send the specialToken that create-user answered.',
  },
  bodyNotJson: {
    code: '0021',
    status: 400,
    message: 'The body is not a valid JSON object.',
    remedy: 'Send one JSON object in UTF-8, each member named once.',
  },
  clientUserNameMissing: {
    code: '0023',
    status: 400,
    message: 'clientUserName is missing.',
    remedy: 'Send the display name of the user, 1 to 255 characters.',
  },
  profileExists: {
    code: '0024',
    status: 400,
    message: 'The user profile cannot be created: a profile with this clientUserId already exists without a user.',
    remedy:
      'An import or a restore left the profile behind. Have the operator import the whole user (`innkeeper users import`): it adopts the profile. Or use another clientUserId.',
  },
  userUnknown: {
    code: '0025',
    status: 400,
    message: 'The user code is invalid or missing: it names no user of this application.',
    remedy: 'Use the service_user_code that get-access-token answered.',
  },
  clientUserUnknown: {
    code: '0025',
    status: 400,
    message: 'No user of this application has this clientUserId.',
    remedy: 'Create the user with POST /api/v2/app/create-user.',
  },

  usersBadRequest: {
    code: '9400',
    status: 400,
    message: 'A parameter or a member of the body is invalid.',
    remedy: 'The message says which one and what it may be.',
  },

  // ---- area B: profile options
  apiKeyMissing: {
    code: '1001',
    status: 401,
    message: 'The header apiKey is missing.',
    remedy:
      'Send the clientId of the application as the header apiKey. It is public: it identifies, it never authorises.',
  },
  apiKeyUnknown: {
    code: '1002',
    status: 401,
    message: 'No application has this apiKey.',
    remedy: 'Send the clientId of the application, exactly as the application settings show it.',
  },
  languageUnknown: {
    code: '1003',
    status: 400,
    message: 'The application does not have this language.',
    remedy: 'Use the name or the tag of one of its languages; `errors` lists them.',
    namesFields: true,
  },
  groupNotFound: {
    code: '1004',
    status: 404,
    message: 'There is no such option group in this application.',
    remedy: 'Take the group from GET /api/option_groups.',
    namesFields: true,
  },
  keyNotFound: {
    code: '1005',
    status: 404,
    message: 'There is no such option key in this application or group.',
    remedy: 'Take the key from GET /api/option_keys.',
    namesFields: true,
  },
  profileUserNotFound: {
    code: '1006',
    status: 404,
    message: 'There is no such user in this application.',
    remedy: 'user_uid is the service_user_code that get-access-token answered.',
    namesFields: true,
  },
  accessTokenInvalid: {
    code: '1007',
    status: 401,
    message: 'The access token is not valid for this application and user.',
    remedy: 'Get a new one from get-access-token; with user_uid beside it, both must mean the same user.',
  },
  valueNotAllowed: {
    code: '1008',
    status: 422,
    message: 'A value is not allowed for this option key.',
    remedy: '`errors` names what is at fault and what is allowed.',
    namesFields: true,
  },
  badParameter: {
    code: '1009',
    status: 400,
    message: 'A parameter or the body is not as it should be.',
    remedy: '`errors` names the first fields found at fault.',
    namesFields: true,
  },
  userMissing: {
    code: '1009',
    status: 400,
    message: 'It is not said whose selection this is: user_uid or access_token is missing.',
    remedy: 'Send user_uid, or access_token in the body, or the access token as Bearer.',
    namesFields: true,
  },
  groupsDisagree: {
    code: '1010',
    status: 400,
    message: 'option_group_uid and option_group_name mean different groups.',
    remedy: 'Send one of them.',
    namesFields: true,
  },
  userCredentialsNeeded: {
    code: '1011',
    status: 401,
    message: "This needs the user's access token as Bearer, or the credentials of the application as HTTP Basic.",
    remedy: 'apiKey only identifies. Send an Authorization header.',
  },
  keyArchived: {
    code: '1012',
    status: 409,
    message: 'The option key is archived: it can no longer be chosen.',
    remedy: 'Offer only what GET /api/option_keys lists.',
    namesFields: true,
  },
  selectionChanged: {
    code: '1014',
    status: 412,
    message: 'The record has changed.',
    remedy: '`current` is the record as it is now, null when there is none. Decide again, and send its `etag`.',
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
    remedy: 'Resume the user with PATCH /api/v2/app/{clientId}/users/{serviceUserCode} and {"status":"active"}.',
    namesFields: true,
  },
  selectionNotFound: {
    code: '9404',
    status: 404,
    message: 'The user has no such selection.',
    remedy: 'Take user_options_uid from GET /api/user_options.',
  },

  // ---- /manage/v1: 9 and the HTTP status
  manageBadRequest: {
    code: '9400',
    status: 400,
    message: 'A parameter or the body of this request is not as it should be.',
    remedy: '`errors` names the first fields found at fault.',
    namesFields: true,
  },
  manageTokenMissing: {
    code: '9401',
    status: 401,
    message: 'A personal access token is needed, as Bearer, or a session in the portal.',
    remedy: 'Make a token with `innkeeper token create --name NAME` and send it as Authorization: Bearer ikp_….',
  },
  manageTokenInvalid: {
    code: '9401',
    status: 401,
    message: 'The personal access token is not valid: it is unknown, revoked or expired.',
    remedy: 'See `innkeeper token list`; make a new one with `innkeeper token create --name NAME`.',
  },
  sessionEnded: {
    code: '9401',
    status: 401,
    message: 'This session in the portal has ended.',
    remedy: 'Sign in again.',
  },
  linkInvalid: {
    code: '9401',
    status: 401,
    message: 'This link is no longer good: it was used before, has expired, or a newer one took its place.',
    remedy: 'Ask whoever gave it to you for a new one. Operators: `innkeeper admin create --email E`.',
  },
  signInFailed: {
    code: '9401',
    status: 401,
    message: 'The e-mail address, the password or the code is not right.',
    remedy:
      'Try again; a code is good once. Who has forgotten the password asks the operator for a link: `innkeeper admin create --email E`.',
  },
  codeNeeded: {
    code: '9401',
    status: 401,
    message: 'A code of the authenticator app is needed as well, or a recovery code.',
    remedy: 'Send it as `code`. Who has neither asks the operator: `innkeeper admin reset EMAIL --totp`.',
  },
  passwordWrong: {
    code: '9403',
    status: 403,
    message: 'The password is not right.',
    remedy: 'Send the password that you sign in with.',
  },
  codeWrong: {
    code: '9403',
    status: 403,
    message: 'A code of the authenticator app, or a recovery code, is needed as well: none came, or not a good one.',
    remedy: 'Send it as `code`. A code is good once: after one that you signed in with, wait for the next.',
  },
  linkNeeded: {
    code: '9403',
    status: 403,
    message: 'Sign in again with a new link to confirm this.',
    remedy:
      'The operator creates a link: `innkeeper admin create --email E`. Within 15 minutes of signing in with it, set a password or turn on two-step sign-in.',
  },
  invitationNotYours: {
    code: '9403',
    status: 403,
    message: 'This invitation is for another e-mail address than that of your account.',
    remedy: 'Sign in with the account that it is for, or have another one made.',
  },
  foreignPage: {
    code: '9403',
    status: 403,
    message: 'This request does not come from the portal itself.',
    remedy:
      'With a session, whatever changes something is sent from the portal, with X-Innkeeper-Portal: 1. Programs use a personal access token.',
  },
  sessionNeeded: {
    code: '9403',
    status: 403,
    message: 'Only a person who is signed in to the portal can do this, no token.',
    remedy: 'Do it in the portal, or with `innkeeper token`.',
  },
  manageForbidden: {
    code: '9403',
    status: 403,
    message: 'This may be seen here, but what was asked for may not be done.',
    remedy:
      'It needs a higher role in the application, or a token made with more --access; to make applications, one without --app.',
  },
  applicationNotFound: {
    code: '9404',
    status: 404,
    message: 'There is no such application, or this token is not for it.',
    remedy: 'Take the clientId from GET /manage/v1/applications.',
  },
  userNotFound: {
    code: '9404',
    status: 404,
    message: 'There is no such user in this application.',
    remedy: 'Take the userUid from GET /manage/v1/applications/{clientId}/users.',
  },
  loggedRequestNotFound: {
    code: '9404',
    status: 404,
    message: 'There is no such request in the log, or no longer.',
    remedy: 'Take the requestUid from GET /manage/v1/applications/{clientId}/requests.',
  },
  catalogItemNotFound: {
    code: '9404',
    status: 404,
    message: 'There is no such group or key in the catalog of this application.',
    remedy: 'Take groupUid and keyUid from GET /manage/v1/applications/{clientId}/catalog/tree.',
  },
  revisionNotFound: {
    code: '9404',
    status: 404,
    message: 'There is no such revision of the catalog.',
    remedy: 'Take it from GET /manage/v1/applications/{clientId}/revisions.',
  },
  draftNotFound: {
    code: '9404',
    status: 404,
    message: 'There is no draft of the catalog of this application.',
    remedy: 'It was published or discarded, or nobody began one. Any edit with draft=true begins one.',
  },
  accessTokenNotFound: {
    code: '9404',
    status: 404,
    message: 'The user has no such access token.',
    remedy: 'Take the tokenId from GET /manage/v1/applications/{clientId}/users/{userUid}.',
  },
  sessionNotFound: {
    code: '9404',
    status: 404,
    message: 'You have no such session.',
    remedy: 'Take the sessionId from GET /manage/v1/account/sessions.',
  },
  manageTokenNotFound: {
    code: '9404',
    status: 404,
    message: 'You have no such personal access token.',
    remedy: 'Take the tokenId from GET /manage/v1/account/tokens.',
  },
  areasNotServed: {
    code: '9409',
    status: 409,
    message: 'This process does not answer for users and options, so the flow cannot run in it.',
    remedy: 'Ask where INNKEEPER_SERVE holds users and options beside portal.',
  },
  memberNotFound: {
    code: '9404',
    status: 404,
    message: 'The application has no such member.',
    remedy: 'Take the accountId from GET /manage/v1/applications/{clientId}/members.',
  },
  invitationNotFound: {
    code: '9404',
    status: 404,
    message: 'The application has no such invitation.',
    remedy: 'Take the invitationId from GET /manage/v1/applications/{clientId}/invitations.',
  },
  clientUserIdTaken: {
    code: '9409',
    status: 409,
    message: 'Another user or profile of this application has this clientUserId.',
    remedy: 'Use another clientUserId.',
  },
  alreadyMember: {
    code: '9409',
    status: 409,
    message: 'Whoever has this e-mail address is a member already.',
    remedy: 'Change the role of the member.',
  },
  lastOwner: {
    code: '9409',
    status: 409,
    message: 'This is the last owner: nobody could manage the application any more.',
    remedy: 'Make somebody else an owner first.',
  },
  accountThere: {
    code: '9409',
    status: 409,
    message: 'There is an account with this e-mail address already.',
    remedy: 'Sign in with it, then accept the invitation.',
  },
  totpOn: {
    code: '9409',
    status: 409,
    message: 'Codes of an authenticator app are asked for already.',
    remedy: 'To use another app, turn them off first.',
  },
  totpNotBegun: {
    code: '9409',
    status: 409,
    message: 'There is no secret to confirm.',
    remedy: 'Begin anew with POST /manage/v1/account/totp.',
  },
  totpOff: {
    code: '9409',
    status: 409,
    message: 'No codes of an authenticator app are asked for.',
    remedy: 'Turn them on first.',
  },
  catalogBreaking: {
    code: '9409',
    status: 409,
    message: 'The change breaks what users can choose or have chosen. Nothing was published.',
    remedy:
      '`breaking` lists each such change and the selections it touches; allow_breaking=true publishes all the same.',
  },
  textsConflict: {
    code: '9409',
    status: 409,
    message: 'The file and the catalog both changed a text since the export. Nothing was changed.',
    remedy:
      '`conflicts` lists both texts. Send prefer with file or catalog, or take with the texts to take from the file.',
  },
  nothingToUndo: {
    code: '9409',
    status: 409,
    message: 'There is no edit of this draft to take back.',
    remedy: 'Only the last hundred edits can be taken back; DELETE discards the whole draft.',
  },
  nothingToRedo: {
    code: '9409',
    status: 409,
    message: 'There is nothing in this draft that was taken back.',
    remedy: 'What was taken back can be done again until something else is done.',
  },
  draftChanged: {
    code: '9412',
    status: 412,
    message: 'The draft has changed since the version that If-Match names. Nothing was changed.',
    remedy:
      '`edits` lists what was done to the draft since, `revisions` what was published. Read the catalog again with draft=true, make the change there, and send its ETag.',
  },
  draftOutdated: {
    code: '9412',
    status: 412,
    message: 'The catalog was published anew since this draft was begun. Nothing was published.',
    remedy:
      '`revisions` lists what was changed since. Discard the draft, or publish over it with `over`, the revision that you have looked at.',
  },
  catalogChanged: {
    code: '9412',
    status: 412,
    message: 'The catalog has changed since the revision that If-Match names. Nothing was published.',
    remedy:
      '`revisions` lists what was changed since. Read the catalog again, make the change there, and send its ETag.',
  },
  catalogInvalid: {
    code: '9422',
    status: 422,
    message: 'The catalog would not be valid. Nothing was published.',
    remedy: '`errors` names each field at fault.',
    namesFields: true,
  },
  textsFileInvalid: {
    code: '9422',
    status: 422,
    message: 'The file of texts cannot be taken. Nothing was changed.',
    remedy: '`errors` names each line at fault. Mend the file, or send take with the texts to take from it.',
    namesFields: true,
  },
  ifMatchMissing: {
    code: '9428',
    status: 428,
    message: 'The header If-Match is missing: it keeps two editors from overwriting each other.',
    remedy: 'Send the ETag that came with the catalog, or * to publish over whatever is there.',
  },

  // ---- what SPEC.md has no code for: 9 and the HTTP status
  badRequest: {
    code: '9400',
    status: 400,
    message: 'The request could not be read.',
    remedy: 'Send well-formed HTTP/1.1 with a valid URL.',
  },
  tokenParameterMissing: {
    code: '9400',
    status: 400,
    message: 'The form parameter token is missing.',
    remedy: 'Send token=… as application/x-www-form-urlencoded.',
  },
  unauthorized: {
    code: '9401',
    status: 401,
    message: 'Credentials are needed here.',
    remedy: 'See the operation for which credentials it takes.',
  },
  pathUnknown: {
    code: '9404',
    status: 404,
    message: 'There is nothing at this path.',
    remedy: 'Check the path; paths are compared exactly.',
  },
  methodNotAllowed: {
    code: '9405',
    status: 405,
    message: 'This path does not take this method.',
    remedy: 'The Allow header lists the methods it takes.',
  },
  requestTimeout: {
    code: '9408',
    status: 408,
    message: 'The request did not arrive in time.',
    remedy: 'Send the whole request within ten seconds.',
  },
  bodyTooLarge: {
    code: '9413',
    status: 413,
    message: 'The body is larger than 64 KiB.',
    remedy: 'Send a smaller body.',
  },
  expectationFailed: {
    code: '9417',
    status: 417,
    message: 'The Expect header asks for something that is not offered.',
    remedy: 'Leave the header out, or send Expect: 100-continue.',
  },
  idempotencyMismatch: {
    code: '9422',
    status: 422,
    message: 'This Idempotency-Key was used before with another body.',
    remedy: 'Use a new key for every new request; repeat a key only to repeat the same request.',
  },
  idempotencyKeyUnusable: {
    code: '9422',
    status: 422,
    message: 'Idempotency-Key must be 1 to 255 characters.',
    remedy: 'Send a UUID, or leave the header out.',
  },
  tooManyFailures: {
    code: '9429',
    status: 429,
    message: 'Too many failed credentials from this address.',
    remedy: 'Wait for the seconds that Retry-After gives. Requests with right credentials are served meanwhile.',
  },
  tooManySignIns: {
    code: '9429',
    status: 429,
    message: 'Too many attempts to sign in. Try again in a while.',
    remedy: 'Wait for the seconds that Retry-After gives.',
  },
  rateLimited: {
    code: '9429',
    status: 429,
    message: 'Too many requests.',
    remedy:
      'Wait for the seconds that Retry-After gives. RateLimit-Policy says how many are allowed, RateLimit how many are left.',
  },
  headersTooLarge: {
    code: '9431',
    status: 431,
    message: 'The request headers are larger than 16 KiB.',
    remedy: 'Send fewer or shorter headers.',
  },
  internal: {
    code: '9500',
    status: 500,
    message: 'Something went wrong on our side. Nothing was half-written.',
    remedy: 'Report the X-Request-Id of the answer to the operator: the log has the cause under it.',
  },
  unavailable: {
    code: '9503',
    status: 503,
    message: 'The service cannot reach its database at the moment. Nothing was half-written.',
    remedy: 'Try again after the seconds that Retry-After gives.',
  },
  overloaded: {
    code: '9503',
    status: 503,
    message: 'The service has more to do than it can at the moment. Nothing was done.',
    remedy: 'Try again after the seconds that Retry-After gives.',
  },
  tokenServiceDown: {
    code: '9503',
    status: 503,
    message: 'The access token cannot be checked: the OAuth 2.0 token service cannot be reached at the moment.',
    remedy: 'Try again after the seconds that Retry-After gives.',
  },
} as const satisfies Record<string, ErrorDefinition>;

export type ErrorDefinition = {
  code: string;
  status: number;
  message: string;
  remedy: string;
  /** The answer says in `errors` which fields are at fault. */
  namesFields?: boolean;
};
export type ErrorName = keyof typeof ERRORS;

/** Where a field is at fault (area B): which, why, and what it may be. */
export type FieldError = { field: string; message: string; allowed?: unknown };

/** Thrown by name only, so that an answer outside the table cannot be written. */
export class InnkeeperError extends Error {
  override name = 'InnkeeperError';
  readonly error: ErrorName;
  readonly headers: Record<string, string>;
  readonly fields: FieldError[] | undefined;
  /** Further members of the answer, beside its code and message. */
  readonly more: Record<string, unknown>;

  constructor(
    error: ErrorName,
    detail: {
      message?: string;
      headers?: Record<string, string>;
      fields?: FieldError[];
      more?: Record<string, unknown>;
      /** For the log: what made it so. It is never answered. */
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
