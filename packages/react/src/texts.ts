/**
 * The form's own texts; labels and values come from the catalog. Numbers and dates are passed in the reader's notation.
 */
export type Texts = {
  loading: string;
  saving: string;
  saved: string;
  notSaved: string;
  notLoaded: string;
  tryAgain: string;
  choose: string;
  nothingHere: string;
  retired: string;
  onePerLine: string;
  notANumber: string;
  notADate: string;
  notSupported: string;
  howMany: (min: number, max: number | null) => string;
  save: string;
  yes: string;
  no: string;
  /** No one has chosen yet: the default applies, or nothing. */
  isDefault: string;
  notSet: string;
  reset: string;
  clear: string;
  /** Why the service refuses a value. */
  atLeast: (min: string) => string;
  atMost: (max: string) => string;
  inSteps: (step: string, from: string) => string;
  notWhole: string;
  tooLong: (characters: string) => string;
  wrongForm: string;
  notAllowed: string;
  archived: string;
  signIn: string;
  refused: (code: string) => string;
};

const en: Texts = {
  loading: 'Loading…',
  saving: 'Saving…',
  saved: 'Saved',
  notSaved: 'Not saved.',
  notLoaded: 'This could not be loaded.',
  tryAgain: 'Try again',
  choose: 'Choose…',
  nothingHere: 'There is nothing to choose here.',
  retired: 'no longer offered',
  onePerLine: 'One per line',
  notANumber: 'This is not a number.',
  notADate: 'The date is not complete.',
  notSupported: 'This cannot be changed here.',
  howMany: (min, max) =>
    max === null ? `Choose at least ${min}` : min === max ? `Choose ${min}` : `Choose ${min} to ${max}`,
  save: 'Save',
  yes: 'Yes',
  no: 'No',
  isDefault: 'Default',
  notSet: 'Not set',
  reset: 'Back to default',
  clear: 'Clear',
  atLeast: (min) => `Must be at least ${min}.`,
  atMost: (max) => `Must be at most ${max}.`,
  inSteps: (step, from) => `Must be in steps of ${step}, starting at ${from}.`,
  notWhole: 'Must be a whole number.',
  tooLong: (characters) => `Must be at most ${characters} characters.`,
  wrongForm: 'The format is invalid.',
  notAllowed: 'This can no longer be chosen.',
  archived: 'This setting is no longer available.',
  signIn: 'Not saved: sign in again.',
  refused: (code) => `Not saved (error ${code}).`,
};

const de: Texts = {
  loading: 'Wird geladen …',
  saving: 'Wird gespeichert …',
  saved: 'Gespeichert',
  notSaved: 'Nicht gespeichert.',
  notLoaded: 'Das konnte nicht geladen werden.',
  tryAgain: 'Noch einmal versuchen',
  choose: 'Bitte wählen …',
  nothingHere: 'Hier gibt es nichts zu wählen.',
  retired: 'nicht mehr angeboten',
  onePerLine: 'Ein Wert pro Zeile',
  notANumber: 'Das ist keine Zahl.',
  notADate: 'Das ist kein vollständiges Datum.',
  notSupported: 'Das kann hier nicht geändert werden.',
  howMany: (min, max) =>
    max === null ? `Mindestens ${min} wählen` : min === max ? `${min} wählen` : `${min} bis ${max} wählen`,
  save: 'Speichern',
  yes: 'Ja',
  no: 'Nein',
  isDefault: 'Voreinstellung',
  notSet: 'Nicht festgelegt',
  reset: 'Auf Voreinstellung zurücksetzen',
  clear: 'Leeren',
  atLeast: (min) => `Muss mindestens ${min} sein.`,
  atMost: (max) => `Darf höchstens ${max} sein.`,
  inSteps: (step, from) => `Muss in Schritten von ${step} ab ${from} sein.`,
  notWhole: 'Muss eine ganze Zahl sein.',
  tooLong: (characters) => `Darf höchstens ${characters} Zeichen lang sein.`,
  wrongForm: 'Das Format ist ungültig.',
  notAllowed: 'Das kann nicht mehr gewählt werden.',
  archived: 'Diese Einstellung gibt es nicht mehr.',
  signIn: 'Nicht gespeichert: Bitte neu anmelden.',
  refused: (code) => `Nicht gespeichert (Fehler ${code}).`,
};

const es: Texts = {
  loading: 'Cargando…',
  saving: 'Guardando…',
  saved: 'Guardado',
  notSaved: 'No se ha guardado.',
  notLoaded: 'No se ha podido cargar.',
  tryAgain: 'Reintentar',
  choose: 'Elegir…',
  nothingHere: 'Aquí no hay nada que elegir.',
  retired: 'ya no se ofrece',
  onePerLine: 'Uno por línea',
  notANumber: 'Esto no es un número.',
  notADate: 'La fecha no está completa.',
  notSupported: 'Esto no se puede cambiar aquí.',
  howMany: (min, max) =>
    max === null ? `Elegir al menos ${min}` : min === max ? `Elegir ${min}` : `Elegir de ${min} a ${max}`,
  save: 'Guardar',
  yes: 'Sí',
  no: 'No',
  isDefault: 'Predeterminado',
  notSet: 'Sin definir',
  reset: 'Volver al valor predeterminado',
  clear: 'Borrar',
  atLeast: (min) => `Debe ser como mínimo ${min}.`,
  atMost: (max) => `Debe ser como máximo ${max}.`,
  inSteps: (step, from) => `Debe ir en pasos de ${step} a partir de ${from}.`,
  notWhole: 'Debe ser un número entero.',
  tooLong: (characters) => `Debe tener como máximo ${characters} caracteres.`,
  wrongForm: 'El formato no es correcto.',
  notAllowed: 'Esto ya no se puede elegir.',
  archived: 'Este ajuste ya no está disponible.',
  signIn: 'No se ha guardado: vuelva a iniciar sesión.',
  refused: (code) => `No se ha guardado (error ${code}).`,
};

const fr: Texts = {
  loading: 'Chargement…',
  saving: 'Enregistrement…',
  saved: 'Enregistré',
  notSaved: 'Non enregistré.',
  notLoaded: 'Le chargement a échoué.',
  tryAgain: 'Réessayer',
  choose: 'Choisir…',
  nothingHere: 'Il n’y a rien à choisir ici.',
  retired: 'n’est plus proposé',
  onePerLine: 'Un par ligne',
  notANumber: 'Ce n’est pas un nombre.',
  notADate: 'La date n’est pas complète.',
  notSupported: 'Cela ne peut pas être modifié ici.',
  howMany: (min, max) =>
    max === null ? `Choisir au moins ${min}` : min === max ? `Choisir ${min}` : `Choisir de ${min} à ${max}`,
  save: 'Enregistrer',
  yes: 'Oui',
  no: 'Non',
  isDefault: 'Par défaut',
  notSet: 'Non défini',
  reset: 'Revenir à la valeur par défaut',
  clear: 'Effacer',
  atLeast: (min) => `Doit être au moins ${min}.`,
  atMost: (max) => `Doit être au plus ${max}.`,
  inSteps: (step, from) => `Doit aller par pas de ${step} à partir de ${from}.`,
  notWhole: 'Doit être un nombre entier.',
  tooLong: (characters) => `Doit compter au plus ${characters} caractères.`,
  wrongForm: 'Le format n’est pas correct.',
  notAllowed: 'Ce choix n’est plus possible.',
  archived: 'Ce réglage n’est plus disponible.',
  signIn: 'Non enregistré : reconnectez-vous.',
  refused: (code) => `Non enregistré (erreur ${code}).`,
};

const hu: Texts = {
  loading: 'Betöltés…',
  saving: 'Mentés…',
  saved: 'Mentve',
  notSaved: 'Nincs mentve.',
  notLoaded: 'A betöltés nem sikerült.',
  tryAgain: 'Újra',
  choose: 'Válasszon…',
  nothingHere: 'Itt nincs mit választani.',
  retired: 'már nem választható',
  onePerLine: 'Soronként egy',
  notANumber: 'Ez nem szám.',
  notADate: 'A dátum nem teljes.',
  notSupported: 'Ez itt nem módosítható.',
  howMany: (min, max) =>
    max === null ? `Legalább ${min} választandó` : min === max ? `${min} választandó` : `${min}–${max} választandó`,
  save: 'Mentés',
  yes: 'Igen',
  no: 'Nem',
  isDefault: 'Alapértelmezett',
  notSet: 'Nincs megadva',
  reset: 'Vissza az alapértelmezettre',
  clear: 'Törlés',
  atLeast: (min) => `Legalább ${min} legyen.`,
  atMost: (max) => `Legfeljebb ${max} lehet.`,
  inSteps: (step, from) => `${from} értéktől ${step} lépésközzel adható meg.`,
  notWhole: 'Egész szám legyen.',
  tooLong: (characters) => `Legfeljebb ${characters} karakter lehet.`,
  wrongForm: 'A formátum nem megfelelő.',
  notAllowed: 'Ez már nem választható.',
  archived: 'Ez a beállítás már nem elérhető.',
  signIn: 'Nincs mentve: jelentkezzen be újra.',
  refused: (code) => `Nincs mentve (${code}. hiba).`,
};

const ar: Texts = {
  loading: 'جارٍ التحميل…',
  saving: 'جارٍ الحفظ…',
  saved: 'تم الحفظ',
  notSaved: 'لم يتم الحفظ.',
  notLoaded: 'تعذّر التحميل.',
  tryAgain: 'إعادة المحاولة',
  choose: 'اختر…',
  nothingHere: 'لا يوجد ما يمكن اختياره هنا.',
  retired: 'لم يعد متاحًا',
  onePerLine: 'واحد في كل سطر',
  notANumber: 'هذا ليس رقمًا.',
  notADate: 'التاريخ غير مكتمل.',
  notSupported: 'لا يمكن تغيير هذا هنا.',
  howMany: (min, max) =>
    max === null ? `اختر ${min} على الأقل` : min === max ? `اختر ${min}` : `اختر من ${min} إلى ${max}`,
  save: 'حفظ',
  yes: 'نعم',
  no: 'لا',
  isDefault: 'افتراضي',
  notSet: 'غير محدد',
  reset: 'العودة إلى الافتراضي',
  clear: 'مسح',
  atLeast: (min) => `يجب ألا يقل عن ${min}.`,
  atMost: (max) => `يجب ألا يزيد على ${max}.`,
  inSteps: (step, from) => `يجب أن يكون بخطوات من ${step} بدءًا من ${from}.`,
  notWhole: 'يجب أن يكون عددًا صحيحًا.',
  tooLong: (characters) => `يجب ألا يزيد على ${characters} من الأحرف.`,
  wrongForm: 'الصيغة غير صحيحة.',
  notAllowed: 'لم يعد هذا متاحًا للاختيار.',
  archived: 'لم يعد هذا الإعداد متاحًا.',
  signIn: 'لم يتم الحفظ: سجّل الدخول مرة أخرى.',
  refused: (code) => `لم يتم الحفظ (خطأ ${code}).`,
};

const ALL: Record<string, Texts> = { en, de, es, fr, hu, ar };

/** In the language with this tag, or English; `own` takes precedence. */
export function textsFor(tag: string | undefined, own: Partial<Texts> = {}): Texts {
  return { ...(ALL[tag?.split('-')[0]?.toLowerCase() ?? 'en'] ?? en), ...own };
}
