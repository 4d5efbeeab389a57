import { emailKeyOf, type Preferences, readPreferences } from '../../domain/accounts/account.ts';
import { admitCode, admitNewPassword, forgetAttempts } from '../../domain/accounts/admit-attempt.ts';
import {
  findTotpStep,
  makeRecoveryCodes,
  makeTotpSecret,
  toBase32,
  totpUri,
} from '../../domain/accounts/confirm-identity.ts';
import { joinByInvitation } from '../../domain/accounts/invitations.ts';
import { kindOfLink } from '../../domain/accounts/links.ts';
import { hashPassword, requirePassword } from '../../domain/accounts/password.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import { notifyAccount } from '../../domain/mail/notices.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import { PreferencesShape } from './account-views.ts';
import { refuse } from './input.ts';
import type { ManageRoutes } from './manage-route.ts';
import { RoleShape } from './members.ts';
import { CodeMember, PROOF_ERRORS, ProofMembers, ProofResponse, proveIdentity, TYPED } from './proof.ts';

const RecoveryCodesResponse = Type.Object(
  { recoveryCodes: Type.Array(Type.String(), { description: 'each works once, instead of a code' }) },
  { title: 'RecoveryCodes' },
);

/** Password, two-step sign-in, preferences and invitations of an account. */
export function accountRoutes({ accountRoute }: ManageRoutes, service: Service): void {
  accountRoute('PUT', '/account/password', {
    operationId: 'changePassword',
    summary: 'Set or change your password',
    description:
      'Ends your other sessions. Requires the current password, except in the first 15 minutes after a sign-in link, and a code if two-step sign-in is on.',
    body: Type.Object({
      current: Type.Optional(Type.String({ ...TYPED, description: 'the current password' })),
      password: Type.String({ description: '12 to 256 characters, not a common password' }),
      ...CodeMember,
    }),
    response: { 204: Type.Null({ description: 'The password was changed.' }), ...ProofResponse },
    errors: ['passwordsOff', ...PROOF_ERRORS],
    async handle(call) {
      const { current, password, code } = call.readBody();
      if (!service.passwords) throw new InnkeeperError('passwordsOff');
      const { account, session } = call.signedIn;
      const wanted = requirePassword(password, account.email);
      await admitNewPassword(service, emailKeyOf(account.email));
      await proveIdentity(service, call, { password: current, code });
      const { accounts } = service.storage;
      const hadPassword = ((await accounts.credentials(account.accountId))?.passwordHash ?? null) !== null;
      const outcome = await accounts.setPassword(account.accountId, await hashPassword(wanted), session.sessionId);
      if (outcome === 'unknown') throw new InnkeeperError('sessionEnded');
      if (hadPassword) notifyAccount(service, account, 'password');
    },
  });

  accountRoute('POST', '/account/totp', {
    operationId: 'beginTotp',
    summary: 'Start turning on two-step sign-in',
    description:
      'Codes are required only after a first code has confirmed it. The secret is shown only in this response.',
    body: Type.Object(ProofMembers),
    response: {
      200: Type.Object({
        secret: Type.String({ description: 'base32, to type in' }),
        uri: Type.String({ description: 'otpauth:// URL, to scan as a QR code' }),
      }),
      ...ProofResponse,
    },
    errors: [...PROOF_ERRORS, 'totpOn'],
    async handle(call) {
      await proveIdentity(service, call, call.readBody());
      const { accountId, email } = call.signedIn.account;
      const secret = makeTotpSecret();
      const outcome = await service.storage.secondFactors.begin(accountId, service.keyring.sealTotp(secret));
      if (outcome === 'unknown') throw new InnkeeperError('sessionEnded');
      if (outcome === 'on') throw new InnkeeperError('totpOn');
      return { secret: toBase32(secret), uri: totpUri(secret, email) };
    },
  });

  accountRoute('PUT', '/account/totp', {
    operationId: 'confirmTotp',
    summary: 'Turn on two-step sign-in',
    description:
      'The first code proves that the app has the secret. The recovery codes are shown only in this response.',
    body: Type.Object({ code: Type.String({ ...TYPED, description: 'six digits' }) }),
    response: { 200: RecoveryCodesResponse },
    errors: ['totpNotBegun', 'tooManySignIns'],
    async handle({ signedIn, request, readBody }) {
      const { code } = readBody();
      const { storage, keyring, now } = service;
      const { accountId, email } = signedIn.account;
      const where = { emailKey: emailKeyOf(email), network: request.network };
      const pendingTotp = (await storage.accounts.credentials(accountId))?.pendingTotp ?? null;
      const secret = pendingTotp === null ? undefined : keyring.unsealTotp(pendingTotp);
      if (pendingTotp === null || !secret) throw new InnkeeperError('totpNotBegun');
      // With only a stolen session, someone could guess the code of a set-up that was not finished.
      await admitCode(service, where.emailKey);
      const step = findTotpStep(secret, code.replaceAll(/\s/g, ''), now());
      if (step === undefined) throw refuse('code', 'is wrong: enter the code the app shows now');
      const { codes, hashes } = makeRecoveryCodes(keyring);
      const confirmed = { pendingTotp, step, recoveryHashes: hashes };
      const outcome = await storage.secondFactors.confirm(accountId, confirmed);
      if (outcome === 'changed') throw new InnkeeperError('totpNotBegun');
      await forgetAttempts(service, where);
      notifyAccount(service, signedIn.account, 'twoStepOn');
      return { recoveryCodes: codes };
    },
  });

  /** POST rather than DELETE, because it has a body: some proxies drop the body of a DELETE. */
  accountRoute('POST', '/account/totp/end', {
    operationId: 'endTotp',
    summary: 'Turn off two-step sign-in',
    description: 'The recovery codes stop working too.',
    body: Type.Object(ProofMembers),
    response: { 204: Type.Null({ description: 'Two-step sign-in is off.' }), ...ProofResponse },
    errors: [...PROOF_ERRORS, 'totpOff'],
    async handle(call) {
      await proveIdentity(service, call, call.readBody());
      const outcome = await service.storage.secondFactors.end(call.signedIn.account.accountId);
      if (outcome === 'off') throw new InnkeeperError('totpOff');
      notifyAccount(service, call.signedIn.account, 'twoStepOff');
    },
  });

  accountRoute('POST', '/account/totp/recovery-codes', {
    operationId: 'renewRecoveryCodes',
    summary: 'Create new recovery codes',
    description: 'The previous ones stop working. The new ones are shown only in this response.',
    body: Type.Object(ProofMembers),
    response: { 200: RecoveryCodesResponse, ...ProofResponse },
    errors: [...PROOF_ERRORS, 'totpOff'],
    async handle(call) {
      await proveIdentity(service, call, call.readBody());
      const { codes, hashes } = makeRecoveryCodes(service.keyring);
      const { account } = call.signedIn;
      const outcome = await service.storage.secondFactors.replaceRecoveryCodes(account.accountId, hashes);
      if (outcome === 'off') throw new InnkeeperError('totpOff');
      notifyAccount(service, account, 'recoveryCodes');
      return { recoveryCodes: codes };
    },
  });

  accountRoute('PATCH', '/account/preferences', {
    operationId: 'changePreferences',
    summary: 'Change your portal preferences',
    description: 'Fields that are not given stay unchanged.',
    body: Type.Object({
      theme: Type.Optional(PreferencesShape.properties.theme),
      language: Type.Optional(PreferencesShape.properties.language),
    }),
    response: { 200: PreferencesShape },
    async handle({ signedIn, readBody }) {
      const { theme, language } = readBody();
      const preferences: Preferences = { ...readPreferences(signedIn.account.preferences) };
      if (theme !== undefined) preferences.theme = theme;
      if (language !== undefined) preferences.language = language;
      const { accountId } = signedIn.account;
      const outcome = await service.storage.accounts.setPreferences(accountId, JSON.stringify(preferences));
      if (outcome === 'unknown') throw new InnkeeperError('sessionEnded');
      return preferences;
    },
  });

  accountRoute('POST', '/account/invitations', {
    operationId: 'acceptInvitation',
    summary: 'Accept an invitation with your account',
    description: 'The link cannot be used again. If you already have a role in the application, it stays.',
    body: Type.Object({ token: Type.String({ description: 'the part of the link after #' }) }),
    response: { 200: Type.Object({ clientId: Type.String(), role: RoleShape }) },
    errors: ['linkInvalid', 'invitationNotYours'],
    async handle({ signedIn, readBody }) {
      const { token } = readBody();
      if (kindOfLink(token) !== 'invitation') throw new InnkeeperError('linkInvalid');
      const { appId, role } = await joinByInvitation(service, signedIn.account, token);
      const [application] = await service.storage.applications.list([appId]);
      if (!application) throw new InnkeeperError('linkInvalid');
      return { clientId: application.clientId, role };
    },
  });
}
