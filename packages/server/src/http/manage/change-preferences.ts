import { type Preferences, readPreferences } from '../../domain/accounts/preferences.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import type { Routes } from '../server/routes.ts';
import { PreferencesShape } from './account-views.ts';
import { accountRoute } from './manage-route.ts';

const schema = {
  operationId: 'changePreferences',
  summary: 'Change your portal preferences',
  description: 'Fields that are not given stay unchanged.',
  body: Type.Object({
    theme: Type.Optional(PreferencesShape.properties.theme),
    language: Type.Optional(PreferencesShape.properties.language),
  }),
  response: { 200: PreferencesShape },
};

export function changePreferencesRoute(app: Routes, service: Service): void {
  const operation = { method: 'PATCH', path: '/account/preferences', schema } as const;
  accountRoute(app, service, operation, async ({ signedIn, readBody }) => {
    const { theme, language } = readBody();
    const preferences: Preferences = { ...readPreferences(signedIn.account.preferences) };
    if (theme !== undefined) preferences.theme = theme;
    if (language !== undefined) preferences.language = language;
    const { accountId } = signedIn.account;
    const outcome = await service.storage.accounts.setPreferences(accountId, JSON.stringify(preferences));
    if (outcome === 'unknown') throw new InnkeeperError('sessionEnded');
    return preferences;
  });
}
