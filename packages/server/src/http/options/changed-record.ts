import type { Application } from '../../domain/applications/application.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import type { ChangedSelection } from '../../domain/selections/save-selections.ts';
import type { Service } from '../../domain/service.ts';
import { readWording } from './answers.ts';
import { placeAt } from './list-user-options.ts';
import { recordView, viewUserOption } from './user-option-view.ts';

/** Adds the current record to a 1014, with its own texts; other errors are passed through. */
export async function withCurrentRecord(
  error: unknown,
  service: Service,
  { appId, clientId }: Application,
  user: { userId: string } | undefined,
  acceptLanguage: string | undefined,
): Promise<unknown> {
  if (!(error instanceof InnkeeperError) || error.error !== 'selectionChanged' || !user) return error;
  const { message, fields, more } = error;
  const { record } = more as ChangedSelection;
  let current: object | null = null;
  if (record) {
    const today = await service.catalogs.get(appId);
    const view = recordView(today, readWording(today, {}, acceptLanguage), { clientId, userId: user.userId });
    current = viewUserOption(view, await placeAt(service, appId, record), record);
  }
  return new InnkeeperError('selectionChanged', { message, ...(fields && { fields }), more: { current } });
}
