import { type DescribedOption, describeOptions } from '../../domain/selections/describe-options.ts';
import type { Service } from '../../domain/service.ts';
import { findUser } from '../../domain/users/find-user.ts';
import { ListAnswer } from '../options/schemas.ts';
import { linkHeader, toListing } from '../paging.ts';
import type { Routes } from '../server/routes.ts';

import { pageOf } from './input.ts';
import { applicationRoute } from './manage-route.ts';
import { OptionShape, PageQuery, UserParams } from './schemas.ts';
import { viewOption } from './views.ts';

const schema = {
  operationId: 'listManagedUserOptions',
  summary: 'List the effective options of a user',
  params: UserParams,
  querystring: PageQuery,
  response: { 200: ListAnswer(OptionShape) },
  errors: ['userNotFound'] as const,
};

export function listUserOptionsRoute(app: Routes, service: Service): void {
  const operation = { method: 'GET', path: '/users/:userUid/options', access: 'users', schema } as const;
  applicationRoute(app, service, operation, async ({ application, manager, params, query, readQuery, reply }) => {
    const page = pageOf(readQuery());
    const { userId } = await findUser(service, application, params.userUid as string);
    await service.userReads.record({ actor: manager.author, appId: application.appId, userId });
    const options = await describeOptions(service, await service.catalogs.get(application.appId), userId);
    const { items, ...rest } = toListing(options, page, sizeOf);
    const listing = { items: items.map(viewOption), ...rest };
    const path = `/manage/v1/applications/${application.clientId}/users/${userId}/options`;
    const link = linkHeader(path, query, listing);
    if (link !== undefined) reply.header('link', link);
    return listing;
  });
}

function sizeOf({ record }: DescribedOption): number {
  return (record?.value.length ?? 0) + (record?.texts?.length ?? 0);
}
