import { EXAMPLE, EXAMPLE_UIDS } from '../examples.ts';

/** What the demo application answers; the uids in it stand for those of the database at hand. */
const GROUP = { option_group_uid: EXAMPLE.groupUid, name: 'appearance' };
const GROUP_GERMAN = {
  option_group_translation_uid: EXAMPLE_UIDS.groupGerman,
  name: 'Darstellung',
  language: 'Deutsch',
};
const THEME_GERMAN = { option_key_translation_uid: EXAMPLE_UIDS.keyGerman, language: 'Deutsch', name: 'Farbschema' };

const GROUP_TRANSLATIONS = [
  { option_group_translation_uid: EXAMPLE_UIDS.groupEnglish, name: 'Appearance', language: 'English' },
  GROUP_GERMAN,
  { option_group_translation_uid: EXAMPLE_UIDS.groupSpanish, name: 'Apariencia', language: 'Español' },
];
const NOT_DESCRIBED = { description: null, description_language: null };

export const GROUP_EXAMPLE = {
  ...GROUP,
  label: 'Appearance',
  label_language: 'English',
  ...NOT_DESCRIBED,
  position: 1,
  translations: GROUP_TRANSLATIONS.map((each) => ({ ...each, description: null })),
};

export const GERMAN_GROUP_EXAMPLE = {
  ...GROUP,
  label: 'Darstellung',
  label_language: 'Deutsch',
  ...NOT_DESCRIBED,
  position: 1,
  translations: [{ ...GROUP_GERMAN, description: null }],
};

export const GERMAN_KEY_EXAMPLE = {
  option_key_uid: EXAMPLE.keyUid,
  option_group_uid: EXAMPLE.groupUid,
  option_group_name: 'appearance',
  name: 'theme',
  label: 'Farbschema',
  label_language: 'Deutsch',
  ...NOT_DESCRIBED,
  position: 0,
  value_type: 'string',
  multiple: false,
  min_selected: 1,
  max_selected: 1,
  default_value: 'system',
  allowed_values: [
    ['system', 'Wie das Gerät'],
    ['light', 'Hell'],
    ['dark', 'Dunkel'],
  ].map(([value, text]) => ({
    value,
    label: text,
    translations: [{ language: 'Deutsch', value: text }],
    retired: false,
  })),
  archived: false,
  translations: [{ ...THEME_GERMAN, description: null }],
};

const OWNER = { app_id: EXAMPLE.clientId, user_uid: EXAMPLE.userCode };
const THEME = { option_group_uid: EXAMPLE.groupUid, option_key_uid: EXAMPLE.keyUid };
const TEXT_SIZE = { option_group_uid: EXAMPLE.groupUid, option_key_uid: EXAMPLE.secondKeyUid };
const ENGLISH = { label_language: 'English' };
const GERMAN = { label_language: 'Deutsch' };
const TIMES = { created_at: '2025-11-24 16:00:00', updated_at: '2025-11-24 16:00:00' };
const stateOf = (uid: string) => ({ ...TIMES, etag: `"${uid}.1"` });

export const USER_OPTION_EXAMPLE = {
  user_options_uid: EXAMPLE.userOptionsUid,
  ...OWNER,
  ...THEME,
  group: { name: 'appearance', label: 'Appearance', ...ENGLISH, translations: GROUP_TRANSLATIONS },
  option: {
    name: 'theme',
    label: 'Theme',
    ...ENGLISH,
    value: 'dark',
    value_label: 'Dark',
    translations: [
      { option_key_translation_uid: EXAMPLE_UIDS.keyEnglish, language: 'English', name: 'Theme', value: 'Dark' },
      { ...THEME_GERMAN, value: 'Dunkel' },
      { option_key_translation_uid: EXAMPLE_UIDS.keySpanish, language: 'Español', name: 'Tema', value: 'Oscuro' },
    ],
  },
  ...stateOf(EXAMPLE.userOptionsUid),
};

const APPEARANCE_GERMAN = { name: 'appearance', label: 'Darstellung', ...GERMAN, translations: [GROUP_GERMAN] };

export const GERMAN_USER_OPTION_EXAMPLE = {
  user_options_uid: EXAMPLE.userOptionsUid,
  ...OWNER,
  ...THEME,
  group: APPEARANCE_GERMAN,
  option: {
    name: 'theme',
    label: 'Farbschema',
    ...GERMAN,
    value: 'dark',
    value_label: 'Dunkel',
    translations: [{ ...THEME_GERMAN, value: 'Dunkel' }],
  },
  ...stateOf(EXAMPLE.userOptionsUid),
};

/** The same as it is replaced by a German form: labels are in its language. */
export const REPLACED_USER_OPTION_EXAMPLE = {
  ...USER_OPTION_EXAMPLE,
  group: { ...USER_OPTION_EXAMPLE.group, label: 'Darstellung', ...GERMAN },
  option: { ...USER_OPTION_EXAMPLE.option, label: 'Farbschema', ...GERMAN, value_label: 'Dunkel' },
};

/** Of text_size, a key of numbers: its value is the same in every language. */
const TEXT_SIZES: [uid: string, language: string, name: string][] = [
  ['bf627384-90a1-5c23-84d5-60718293a4b5', 'English', 'Text size'],
  ['c0738495-a1b2-5d34-95e6-718293a4b5c6', 'Deutsch', 'Schriftgröße'],
  ['d18495a6-b2c3-5e45-86f7-8293a4b5c6d7', 'Español', 'Tamaño del texto'],
];

export const SECOND_USER_OPTION_EXAMPLE = {
  user_options_uid: EXAMPLE_UIDS.secondUserOptionsUid,
  ...OWNER,
  ...TEXT_SIZE,
  group: USER_OPTION_EXAMPLE.group,
  option: {
    name: 'text_size',
    label: 'Text size',
    ...ENGLISH,
    value: 1.5,
    value_label: '1.5',
    translations: TEXT_SIZES.map(([uid, language, name]) => ({
      option_key_translation_uid: uid,
      language,
      name,
      value: 1.5,
    })),
  },
  ...stateOf(EXAMPLE_UIDS.secondUserOptionsUid),
};

export const GERMAN_DEFAULT_EXAMPLE = {
  user_options_uid: null,
  ...OWNER,
  ...TEXT_SIZE,
  group: APPEARANCE_GERMAN,
  option: {
    name: 'text_size',
    label: 'Schriftgröße',
    ...GERMAN,
    value: 1,
    value_label: '1',
    translations: TEXT_SIZES.filter(([, language]) => language === 'Deutsch').map(([uid, language, name]) => ({
      option_key_translation_uid: uid,
      language,
      name,
      value: 1,
    })),
  },
  created_at: null,
  updated_at: null,
  etag: null,
  is_default: true,
  source: 'default',
};
