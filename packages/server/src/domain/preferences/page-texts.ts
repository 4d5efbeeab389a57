import { canonicalTag } from '../catalog/languages.ts';

/** The preference page's own texts, with placeholders in braces; labels and values come from the catalog. */
const en = {
  title: 'Your preferences',
  language: 'Language',
  save: 'Save',
  saved: 'Your preferences are saved.',
  unchanged: 'Nothing to save: you changed nothing.',
  notSaved: 'Nothing was saved. Check the marked fields.',
  choose: 'Choose…',
  retired: 'no longer offered',
  nothingHere: 'There is nothing to choose here.',
  needed: 'Enter a value.',
  notOffered: 'Choose one of the values offered.',
  format: 'Use the required format.',
  wholeNumber: 'A whole number',
  number: 'A number',
  date: 'A date',
  comma: ', ',
  from: '{min} or more',
  upTo: '{max} or less',
  between: '{min} to {max}',
  steps: 'in steps of {step}',
  characters: 'At most {most} characters.',
  exactly: 'Choose {count}.',
  atLeast: 'Choose at least {min}.',
  atMost: 'Choose at most {max}.',
  numbered: '{label}, entry {number}',
  unsubscribe: 'Unsubscribe',
  unsubscribeAbout: 'Stop these messages from {application}?',
  unsubscribed: 'You are unsubscribed',
  unsubscribedAbout: '{application} has saved your choice.',
  invalid: 'This link is not valid',
  invalidAbout: 'It may have expired or been withdrawn, or part of it is missing. Ask the sender for a new one.',
  later: 'Please try again later',
  laterAbout: 'Your request could not be processed at the moment. Nothing was saved.',
};

type TextName = keyof typeof en;
export type PageTexts = Record<TextName, string>;

const de: PageTexts = {
  title: 'Ihre Einstellungen',
  language: 'Sprache',
  save: 'Speichern',
  saved: 'Ihre Einstellungen sind gespeichert.',
  unchanged: 'Nichts zu speichern: Sie haben nichts geändert.',
  notSaved: 'Nichts wurde gespeichert. Prüfen Sie die markierten Felder.',
  choose: 'Bitte wählen …',
  retired: 'nicht mehr angeboten',
  nothingHere: 'Hier gibt es nichts zu wählen.',
  needed: 'Geben Sie einen Wert ein.',
  notOffered: 'Wählen Sie einen der angebotenen Werte.',
  format: 'Verwenden Sie das vorgegebene Format.',
  wholeNumber: 'Eine ganze Zahl',
  number: 'Eine Zahl',
  date: 'Ein Datum',
  comma: ', ',
  from: 'ab {min}',
  upTo: 'bis {max}',
  between: '{min} bis {max}',
  steps: 'in Schritten von {step}',
  characters: 'Höchstens {most} Zeichen.',
  exactly: 'Wählen Sie {count} aus.',
  atLeast: 'Wählen Sie mindestens {min} aus.',
  atMost: 'Wählen Sie höchstens {max} aus.',
  numbered: '{label}, Eintrag {number}',
  unsubscribe: 'Abmelden',
  unsubscribeAbout: 'Diese Nachrichten von {application} abbestellen?',
  unsubscribed: 'Sie sind abgemeldet',
  unsubscribedAbout: '{application} hat Ihre Wahl gespeichert.',
  invalid: 'Dieser Link ist nicht gültig',
  invalidAbout:
    'Er ist abgelaufen, wurde zurückgezogen oder ist unvollständig. Bitten Sie den Absender um einen neuen.',
  later: 'Bitte versuchen Sie es später erneut',
  laterAbout: 'Ihre Anfrage konnte gerade nicht beantwortet werden. Nichts wurde gespeichert.',
};

const es: PageTexts = {
  title: 'Sus preferencias',
  language: 'Idioma',
  save: 'Guardar',
  saved: 'Sus preferencias se han guardado.',
  unchanged: 'Nada que guardar: no ha cambiado nada.',
  notSaved: 'No se ha guardado nada. Revise los campos marcados.',
  choose: 'Elegir…',
  retired: 'ya no se ofrece',
  nothingHere: 'Aquí no hay nada que elegir.',
  needed: 'Introduzca un valor.',
  notOffered: 'Elija uno de los valores ofrecidos.',
  format: 'Use el formato requerido.',
  wholeNumber: 'Un número entero',
  number: 'Un número',
  date: 'Una fecha',
  comma: ', ',
  from: '{min} o más',
  upTo: '{max} o menos',
  between: 'de {min} a {max}',
  steps: 'en pasos de {step}',
  characters: 'Como máximo {most} caracteres.',
  exactly: 'Elija {count}.',
  atLeast: 'Elija al menos {min}.',
  atMost: 'Elija como máximo {max}.',
  numbered: '{label}, entrada {number}',
  unsubscribe: 'Darse de baja',
  unsubscribeAbout: '¿Dejar de recibir estos mensajes de {application}?',
  unsubscribed: 'Se ha dado de baja',
  unsubscribedAbout: '{application} ha guardado su elección.',
  invalid: 'Este enlace no es válido',
  invalidAbout: 'Ha caducado, se ha retirado o está incompleto. Pida uno nuevo al remitente.',
  later: 'Inténtelo más tarde',
  laterAbout: 'No se ha podido responder a su solicitud en este momento. No se ha guardado nada.',
};

const hu: PageTexts = {
  title: 'Az Ön beállításai',
  language: 'Nyelv',
  save: 'Mentés',
  saved: 'A beállításai mentve.',
  unchanged: 'Nincs mit menteni: semmit sem változtatott.',
  notSaved: 'Semmi sem lett mentve. Ellenőrizze a megjelölt mezőket.',
  choose: 'Válasszon…',
  retired: 'már nem választható',
  nothingHere: 'Itt nincs mit választani.',
  needed: 'Adjon meg egy értéket.',
  notOffered: 'Válasszon a felkínált értékek közül.',
  format: 'Használja az előírt formátumot.',
  wholeNumber: 'Egész szám',
  number: 'Szám',
  date: 'Dátum',
  comma: ', ',
  from: 'legalább {min}',
  upTo: 'legfeljebb {max}',
  between: '{min} – {max}',
  steps: '{step} lépésközzel',
  characters: 'Legfeljebb {most} karakter.',
  exactly: 'Válasszon ki {count} elemet.',
  atLeast: 'Válasszon ki legalább {min} elemet.',
  atMost: 'Válasszon ki legfeljebb {max} elemet.',
  numbered: '{label}, {number}. bejegyzés',
  unsubscribe: 'Leiratkozás',
  unsubscribeAbout: 'Leiratkozik ezekről az üzenetekről ({application})?',
  unsubscribed: 'Leiratkozott',
  unsubscribedAbout: 'A választását mentettük ({application}).',
  invalid: 'Ez a hivatkozás nem érvényes',
  invalidAbout: 'Lejárt, visszavonták, vagy hiányos. Kérjen újat a feladótól.',
  later: 'Próbálja újra később',
  laterAbout: 'A kérésére most nem tudtunk válaszolni. Semmi sem lett mentve.',
};

const ar: PageTexts = {
  title: 'تفضيلاتك',
  language: 'اللغة',
  save: 'حفظ',
  saved: 'تم حفظ تفضيلاتك.',
  unchanged: 'لا يوجد ما يُحفظ: لم تغيّر شيئًا.',
  notSaved: 'لم يُحفظ شيء. تحقّق من الحقول المحددة.',
  choose: 'اختر…',
  retired: 'لم يعد متاحًا',
  nothingHere: 'لا يوجد ما يمكن اختياره هنا.',
  needed: 'أدخل قيمة.',
  notOffered: 'اختر إحدى القيم المعروضة.',
  format: 'استخدم الصيغة المطلوبة.',
  wholeNumber: 'عدد صحيح',
  number: 'عدد',
  date: 'تاريخ',
  comma: '، ',
  from: '{min} أو أكثر',
  upTo: '{max} أو أقل',
  between: 'من {min} إلى {max}',
  steps: 'بخطوات من {step}',
  characters: '{most} حرفًا على الأكثر.',
  exactly: 'اختر {count}.',
  atLeast: 'اختر {min} على الأقل.',
  atMost: 'اختر {max} على الأكثر.',
  numbered: '{label}، الإدخال {number}',
  unsubscribe: 'إلغاء الاشتراك',
  unsubscribeAbout: 'هل تريد إيقاف هذه الرسائل من {application}؟',
  unsubscribed: 'تم إلغاء اشتراكك',
  unsubscribedAbout: 'حفظ {application} اختيارك.',
  invalid: 'هذا الرابط غير صالح',
  invalidAbout: 'ربما انتهت صلاحيته أو سُحب أو أن جزءًا منه مفقود. اطلب رابطًا جديدًا من المرسل.',
  later: 'يُرجى المحاولة لاحقًا',
  laterAbout: 'تعذّرت الإجابة عن طلبك الآن. لم يُحفظ شيء.',
};

const BUILT_IN: Record<string, PageTexts> = { en, de, es, hu, ar };
const NAMES = Object.keys(en) as TextName[];
const MAX_TEXT = 500;
const MAX_LANGUAGES = 100;

/** The page's texts, with the tag of their language. */
export type LocalizedPageWords = PageTexts & { tag: string };

export class PageWords {
  readonly #all: Map<string, LocalizedPageWords>;

  /** `own`: by tag, as readPageTexts returns them. */
  constructor(own: Readonly<Record<string, PageTexts>> = {}) {
    const all = Object.entries({ ...BUILT_IN, ...own });
    this.#all = new Map(all.map(([tag, texts]) => [tag.toLowerCase(), { ...texts, tag }]));
  }

  get tags(): string[] {
    return [...this.#all.values()].map(({ tag }) => tag);
  }

  /** In this language, else in its base language, else in English. */
  find(tag = 'en'): LocalizedPageWords {
    const wanted = tag.toLowerCase();
    return (this.#all.get(wanted) ?? this.#all.get(baseOf(wanted)) ?? this.#all.get('en')) as LocalizedPageWords;
  }
}

export function baseOf(tag: string): string {
  return (tag.split('-', 1)[0] as string).toLowerCase();
}

export function fill(text: string, values: Record<string, string>): string {
  return text.replaceAll(/\{(\w{1,20})\}/g, (found, name: string) => values[name] ?? found);
}

/**
 * Reads a file of page texts: {"fr": {"title": "…", …}}. An existing language may change some of its texts; a new one
 * must have all of them. Problems go to `problems`.
 */
export function readPageTexts(text: string, problems: string[]): Record<string, PageTexts> {
  const file = readObject(text);
  if (!file || Object.keys(file).length > MAX_LANGUAGES) {
    problems.push(`must be a JSON object such as {"fr": {"title": "…"}}, with at most ${MAX_LANGUAGES} languages`);
    return {};
  }
  const own: Record<string, PageTexts> = {};
  for (const [tag, given] of Object.entries(file)) {
    const canonical = canonicalTag(tag);
    if (canonical === undefined) problems.push(`"${tag.slice(0, 50)}" is not a language tag such as fr or pt-BR`);
    else if (!isObject(given)) problems.push(`${canonical} must be an object of texts`);
    else {
      own[canonical] = { ...(BUILT_IN[canonical] as PageTexts), ...(given as PageTexts) };
      checkTexts(canonical, given, problems);
    }
  }
  return own;
}

function checkTexts(tag: string, given: Record<string, unknown>, problems: string[]): void {
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(en, name)) problems.push(`${tag}.${name.slice(0, 50)} is not a text of the page`);
  }
  for (const name of NAMES) {
    const text = given[name];
    if (text === undefined && tag in BUILT_IN) continue;
    if (text === undefined) problems.push(`${tag}.${name} is missing; in English: "${en[name]}"`);
    else if (typeof text !== 'string' || text.trim() === '' || text.length > MAX_TEXT)
      problems.push(`${tag}.${name} must be a text of 1 to ${MAX_TEXT} characters`);
    else if (placeholders(text) !== placeholders(en[name]))
      problems.push(
        `${tag}.${name} must have the placeholders ${placeholders(en[name]) || '(none)'}; in English: "${en[name]}"`,
      );
  }
}

function placeholders(text: string): string {
  return (text.match(/\{\w{1,20}\}/g) ?? []).toSorted().join(' ');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readObject(text: string): Record<string, unknown> | undefined {
  try {
    const read: unknown = JSON.parse(text);
    return isObject(read) ? read : undefined;
  } catch {
    return undefined;
  }
}
