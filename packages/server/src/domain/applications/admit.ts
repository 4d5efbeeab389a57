import type { Application } from './application.ts';

/** Told whose request it is as soon as that is proven. Throws when the application may have no more of them now. */
export type Admit = (application: Application) => void;
