// Written by `innkeeper catalog types`: run it again when the catalog changes.

export interface Catalog {
  /** Names and tags that `language` accepts. */
  languages: 'English' | 'en' | 'Deutsch' | 'de' | 'العربية' | 'ar';
  groups: {
    /** Appearance */
    appearance: {
      /** Theme */
      theme: { type: 'string'; multiple: false; value: 'light' | 'dark'; retired: never };
      /** Items per page */
      items_per_page: { type: 'integer'; multiple: false; value: number; retired: never };
    };
    /** Notifications */
    notifications: {
      /** Newsletter */
      newsletter: { type: 'boolean'; multiple: false; value: boolean; retired: never };
      /** Channels */
      channels: { type: 'string'; multiple: true; value: 'email' | 'sms' | 'push'; retired: 'fax' };
      /** Quiet until */
      quiet_until: { type: 'date'; multiple: false; value: string; retired: never };
    };
  };
}

/** Every allowed value by its key. */
export const values = {
  'appearance.theme': {
    /** Light */
    light: 'light',
    /** Dark */
    dark: 'dark',
  },
  'notifications.channels': {
    /** E-mail */
    email: 'email',
    /** Text message */
    sms: 'sms',
    /** Push */
    push: 'push',
    /** @deprecated retired; choose "email" instead */
    fax: 'fax',
  },
} as const;
