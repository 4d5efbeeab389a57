import type { components } from '@innkeeper/client/manage';

export type Settings = components['schemas']['ApplicationSettings'];
