import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useCan } from '../../api/access.ts';
import { catalogTreeQuery, nameCatalog } from '../../api/catalog-names.ts';
import { api } from '../../api/client.ts';
import { allApplicationsQuery } from '../../api/queries.ts';
import { ROOMS, roomAt } from '../rooms.ts';
import { type Command, match } from './match.ts';
import { useActions } from './use-actions.ts';

export const SECTIONS = ['rooms', 'users', 'requests', 'keys', 'applications', 'actions'] as const;
export type Section = (typeof SECTIONS)[number];

/** From this many letters on, the service is queried: users by id or name, requests by id. */
const ENOUGH = 2;
/** Request ids are long, and a part of one finds nothing. */
const REQUEST_ID = /^[\w.:-]{6,128}$/;
/** The service's own request ids: outside an application, every application is searched, up to this many. */
const OWN_REQUEST_ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
const MAX_LOOKUPS = 20;

type Session = Parameters<typeof useActions>[0];

/** Everything that `typed` finds, by section; without input, all destinations and actions. */
export function useCommands(session: Session, clientId: string | undefined, typed: string) {
  const { t, i18n } = useTranslation(['palette', 'shell']);
  const navigate = useNavigate();
  const can = useCan(clientId ?? '');
  const room = roomAt(useLocation().pathname);
  const actions = useActions(session, clientId);
  const { data: applications = [] } = useQuery(allApplicationsQuery);
  const tree = useQuery({ ...catalogTreeQuery(clientId ?? ''), enabled: clientId !== undefined && typed !== '' });
  const names = useMemo(() => tree.data && nameCatalog(tree.data, i18n), [tree.data, i18n]);
  const inside = useFound(clientId, typed, can('users'));
  const outside = useFoundAnywhere(applications, typed, clientId === undefined);
  const found = clientId === undefined ? outside : inside;

  const rooms = ROOMS.flatMap(({ rooms: all }) => all)
    .filter(({ access = 'read' }) => clientId !== undefined && can(access))
    .map(
      ({ name, to }): Command => ({
        id: `room-${name}`,
        label: t(`room.${name}`, { ns: 'shell' }),
        words: t(`words.${name}`),
        run: () => navigate({ to, params: { clientId: clientId ?? '' } }),
      }),
    );
  const keys = (names?.groups ?? []).flatMap((group) =>
    [{ uid: group.groupUid, hint: group.name, ...group }, ...group.keys.map((key) => toItem(key))].map(
      ({ uid, label, hint }): Command => ({
        id: `item-${uid}`,
        label,
        hint,
        run: () =>
          navigate({
            to: '/applications/$clientId/catalog',
            params: { clientId: clientId ?? '' },
            search: { item: uid },
          }),
      }),
    ),
  );
  const others = applications
    .filter((each) => each.clientId !== clientId)
    .map(
      (each): Command => ({
        id: `application-${each.clientId}`,
        label: each.name,
        hint: each.clientId,
        run: () => navigate({ to: room, params: { clientId: each.clientId } }),
      }),
    );
  const everywhere: Command = {
    id: 'applications',
    label: t('allApplications', { ns: 'shell' }),
    run: () => navigate({ to: '/' }),
  };
  const sections: Record<Section, Command[]> = {
    rooms: match(clientId === undefined ? [] : [...rooms, everywhere], typed, 20),
    users: found.users,
    requests: found.requests,
    keys: typed === '' ? [] : match(keys, typed, 8),
    applications: typed === '' && clientId !== undefined ? [] : match(others, typed, 6),
    actions: match(actions, typed, typed === '' ? 5 : 12),
  };
  return { sections, isSearching: found.isSearching };
}

function toItem({
  keyUid,
  label,
  groupName,
  name,
}: {
  keyUid: string;
  label: string;
  groupName: string;
  name: string;
}) {
  return { uid: keyUid, label, hint: `${groupName}/${name}` };
}

/** Results that only the service knows. */
function useFound(clientId: string | undefined, typed: string, canSee: boolean) {
  const navigate = useNavigate();
  const [search] = useDebouncedValue(typed.trim(), 250);
  const isEnabled = clientId !== undefined && canSee && search.length >= ENOUGH;
  const path = { clientId: clientId ?? '' };
  const users = useQuery({
    queryKey: ['application', clientId, 'palette', 'users', search],
    queryFn: async ({ signal }) => {
      // The users room scans millions, this only some of them.
      const query = { search, limit: 6, partial: true };
      return (await api.get('/manage/v1/applications/{clientId}/users', { path, query, signal })).data;
    },
    enabled: isEnabled,
  });
  const requests = useQuery({
    queryKey: ['application', clientId, 'palette', 'requests', search],
    queryFn: async ({ signal }) => {
      const query = { requestId: search, limit: 3 };
      return (await api.get('/manage/v1/applications/{clientId}/requests', { path, query, signal })).data;
    },
    enabled: isEnabled && REQUEST_ID.test(search),
  });
  if (!isEnabled || typed === '') return { users: [], requests: [], isSearching: false };
  // The results of an earlier search must not be opened by Enter.
  if (typed.trim() !== search) return { users: [], requests: [], isSearching: true };
  return {
    users: (users.data?.items ?? []).map(
      ({ userUid, clientUserId, clientUserName }): Command => ({
        id: `user-${userUid}`,
        label: clientUserName,
        hint: clientUserId,
        run: () => navigate({ to: '/applications/$clientId/users/$userUid', params: { ...path, userUid } }),
      }),
    ),
    requests: (requests.data?.items ?? []).map((each) => toRequest(each, path.clientId, navigate)),
    isSearching: users.isFetching,
  };
}

/** A request by its id, without knowing the application. */
function useFoundAnywhere(applications: readonly { clientId: string }[], typed: string, isOutside: boolean) {
  const navigate = useNavigate();
  const requestId = typed.trim();
  const isEnabled = isOutside && OWN_REQUEST_ID.test(requestId);
  const { data = [], isFetching } = useQuery({
    queryKey: ['palette', 'requests', requestId],
    queryFn: async ({ signal }) => {
      const lookups = applications.slice(0, MAX_LOOKUPS).map(async ({ clientId }) => {
        const input = { path: { clientId }, query: { requestId, limit: 3 }, signal };
        const { items } = (await api.get('/manage/v1/applications/{clientId}/requests', input)).data;
        return items.map((each) => toRequest(each, clientId, navigate));
      });
      // Requests are not visible to every role.
      const results = await Promise.allSettled(lookups);
      return results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    },
    enabled: isEnabled && applications.length > 0,
  });
  return { users: [], requests: isEnabled ? data : [], isSearching: isEnabled && isFetching };
}

type LoggedRequest = { requestUid: string; method: string; path: string; status: number; code: string | null };

function toRequest(
  { requestUid, method, path, status, code }: LoggedRequest,
  clientId: string,
  navigate: ReturnType<typeof useNavigate>,
): Command {
  return {
    id: `request-${requestUid}`,
    label: `${method} ${path}`,
    hint: code === null ? String(status) : `${status} · ${code}`,
    run: () =>
      navigate({ to: '/applications/$clientId/requests', params: { clientId }, search: { request: requestUid } }),
  };
}
