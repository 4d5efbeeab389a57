/** The words of the page itself; labels and values come from the catalog. */
export type PageTexts = {
  title: string;
  language: string;
  save: string;
  saved: string;
  unchanged: string;
  notSaved: string;
  choose: string;
  retired: string;
  nothingHere: string;
  needed: string;
  notOffered: string;
  format: string;
  wholeNumber: string;
  number: string;
  date: string;
  comma: string;
  from: (min: string) => string;
  upTo: (max: string) => string;
  between: (min: string, max: string) => string;
  steps: (step: string) => string;
  characters: (most: string) => string;
  exactly: (count: string) => string;
  atLeast: (min: string) => string;
  atMost: (max: string) => string;
  numbered: (label: string, number: string) => string;
  unsubscribe: string;
  unsubscribeAbout: (application: string) => string;
  unsubscribed: string;
  unsubscribedAbout: (application: string) => string;
  invalid: string;
  invalidAbout: string;
  later: string;
  laterAbout: string;
};

const en: PageTexts = {
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
  from: (min) => `${min} or more`,
  upTo: (max) => `${max} or less`,
  between: (min, max) => `${min} to ${max}`,
  steps: (step) => `in steps of ${step}`,
  characters: (most) => `At most ${most} characters.`,
  exactly: (count) => `Choose ${count}.`,
  atLeast: (min) => `Choose at least ${min}.`,
  atMost: (max) => `Choose at most ${max}.`,
  numbered: (label, number) => `${label}, entry ${number}`,
  unsubscribe: 'Unsubscribe',
  unsubscribeAbout: (application) => `Stop these messages from ${application}?`,
  unsubscribed: 'You are unsubscribed',
  unsubscribedAbout: (application) => `${application} has saved your choice.`,
  invalid: 'This link is not valid',
  invalidAbout: 'It may have expired or been withdrawn, or part of it is missing. Ask the sender for a new one.',
  later: 'Please try again later',
  laterAbout: 'Your request could not be answered at the moment. Nothing was saved.',
};

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
  from: (min) => `ab ${min}`,
  upTo: (max) => `bis ${max}`,
  between: (min, max) => `${min} bis ${max}`,
  steps: (step) => `in Schritten von ${step}`,
  characters: (most) => `Höchstens ${most} Zeichen.`,
  exactly: (count) => `Wählen Sie ${count} aus.`,
  atLeast: (min) => `Wählen Sie mindestens ${min} aus.`,
  atMost: (max) => `Wählen Sie höchstens ${max} aus.`,
  numbered: (label, number) => `${label}, Eintrag ${number}`,
  unsubscribe: 'Abmelden',
  unsubscribeAbout: (application) => `Diese Nachrichten von ${application} abbestellen?`,
  unsubscribed: 'Sie sind abgemeldet',
  unsubscribedAbout: (application) => `${application} hat Ihre Wahl gespeichert.`,
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
  from: (min) => `${min} o más`,
  upTo: (max) => `${max} o menos`,
  between: (min, max) => `de ${min} a ${max}`,
  steps: (step) => `en pasos de ${step}`,
  characters: (most) => `Como máximo ${most} caracteres.`,
  exactly: (count) => `Elija ${count}.`,
  atLeast: (min) => `Elija al menos ${min}.`,
  atMost: (max) => `Elija como máximo ${max}.`,
  numbered: (label, number) => `${label}, entrada ${number}`,
  unsubscribe: 'Darse de baja',
  unsubscribeAbout: (application) => `¿Dejar de recibir estos mensajes de ${application}?`,
  unsubscribed: 'Se ha dado de baja',
  unsubscribedAbout: (application) => `${application} ha guardado su elección.`,
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
  from: (min) => `legalább ${min}`,
  upTo: (max) => `legfeljebb ${max}`,
  between: (min, max) => `${min} – ${max}`,
  steps: (step) => `${step} lépésközzel`,
  characters: (most) => `Legfeljebb ${most} karakter.`,
  exactly: (count) => `Válasszon ki ${count} elemet.`,
  atLeast: (min) => `Válasszon ki legalább ${min} elemet.`,
  atMost: (max) => `Válasszon ki legfeljebb ${max} elemet.`,
  numbered: (label, number) => `${label}, ${number}. bejegyzés`,
  unsubscribe: 'Leiratkozás',
  unsubscribeAbout: (application) => `Leiratkozik ezekről az üzenetekről (${application})?`,
  unsubscribed: 'Leiratkozott',
  unsubscribedAbout: (application) => `A választását mentettük (${application}).`,
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
  from: (min) => `${min} أو أكثر`,
  upTo: (max) => `${max} أو أقل`,
  between: (min, max) => `من ${min} إلى ${max}`,
  steps: (step) => `بخطوات من ${step}`,
  characters: (most) => `${most} حرفًا على الأكثر.`,
  exactly: (count) => `اختر ${count}.`,
  atLeast: (min) => `اختر ${min} على الأقل.`,
  atMost: (max) => `اختر ${max} على الأكثر.`,
  numbered: (label, number) => `${label}، الإدخال ${number}`,
  unsubscribe: 'إلغاء الاشتراك',
  unsubscribeAbout: (application) => `هل تريد إيقاف هذه الرسائل من ${application}؟`,
  unsubscribed: 'تم إلغاء اشتراكك',
  unsubscribedAbout: (application) => `حفظ ${application} اختيارك.`,
  invalid: 'هذا الرابط غير صالح',
  invalidAbout: 'ربما انتهت صلاحيته أو سُحب أو أن جزءًا منه مفقود. اطلب رابطًا جديدًا من المرسل.',
  later: 'يُرجى المحاولة لاحقًا',
  laterAbout: 'تعذّرت الإجابة عن طلبك الآن. لم يُحفظ شيء.',
};

const ALL: Record<string, PageTexts> = { en, de, es, hu, ar };
export const PAGE_LANGUAGES: readonly string[] = Object.keys(ALL);

/** Of the language with this tag, else English; `tag` is that of the texts. */
export function pageTexts(tag: string | undefined): PageTexts & { tag: string } {
  const base = tag?.split('-')[0]?.toLowerCase() ?? '';
  const found = Object.hasOwn(ALL, base) ? base : 'en';
  return { ...(ALL[found] as PageTexts), tag: found };
}
