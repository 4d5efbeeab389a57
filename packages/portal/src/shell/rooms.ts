import {
  type Icon,
  IconActivity,
  IconBolt,
  IconChartBar,
  IconHistory,
  IconKey,
  IconLanguage,
  IconLayoutDashboard,
  IconListDetails,
  IconPlugConnected,
  IconTimeline,
  IconUsers,
  IconUsersGroup,
  IconWebhook,
} from '@tabler/icons-react';
import type { Access } from '../api/access.ts';

type RoomName =
  | 'overview'
  | 'catalog'
  | 'translations'
  | 'revisions'
  | 'users'
  | 'insights'
  | 'requests'
  | 'events'
  | 'audit'
  | 'connect'
  | 'credentials'
  | 'webhooks'
  | 'members';

type Room = {
  name: RoomName;
  to: RoomPath;
  icon: Icon;
  /** By default, open to everyone who can see the application. */
  access?: Access;
};

export type RoomPath = `/applications/$clientId${'' | `/${Exclude<RoomName, 'overview'>}`}`;

/** The rooms of an application, as listed in the side bar. */
export const ROOMS: readonly { title: 'define' | 'watch' | 'run'; rooms: readonly Room[] }[] = [
  {
    title: 'define',
    rooms: [
      { name: 'overview', to: '/applications/$clientId', icon: IconLayoutDashboard },
      { name: 'catalog', to: '/applications/$clientId/catalog', icon: IconListDetails },
      { name: 'translations', to: '/applications/$clientId/translations', icon: IconLanguage },
      { name: 'revisions', to: '/applications/$clientId/revisions', icon: IconHistory },
    ],
  },
  {
    title: 'watch',
    rooms: [
      { name: 'users', to: '/applications/$clientId/users', icon: IconUsers, access: 'users' },
      { name: 'insights', to: '/applications/$clientId/insights', icon: IconChartBar },
      { name: 'requests', to: '/applications/$clientId/requests', icon: IconActivity, access: 'users' },
      { name: 'events', to: '/applications/$clientId/events', icon: IconBolt, access: 'users' },
      { name: 'audit', to: '/applications/$clientId/audit', icon: IconTimeline },
    ],
  },
  {
    title: 'run',
    rooms: [
      { name: 'connect', to: '/applications/$clientId/connect', icon: IconPlugConnected },
      { name: 'credentials', to: '/applications/$clientId/credentials', icon: IconKey },
      { name: 'webhooks', to: '/applications/$clientId/webhooks', icon: IconWebhook },
      { name: 'members', to: '/applications/$clientId/members', icon: IconUsersGroup, access: 'own' },
    ],
  },
];

/** The room of a path, for switching to another application; the overview if there is none. */
export function roomAt(pathname: string): RoomPath {
  const name = /\/applications\/[^/]+\/([^/]+)/.exec(pathname)?.[1];
  return ROOMS.flatMap(({ rooms }) => rooms).find((room) => room.name === name)?.to ?? '/applications/$clientId';
}
