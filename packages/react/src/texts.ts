/** The words of the form itself; labels and values come from the catalog, refusals from the service. */
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
  onePerLine: 'One on each line',
  notANumber: 'This is not a number.',
  notADate: 'This is not a whole date.',
  notSupported: 'This cannot be changed here.',
  howMany: (min, max) =>
    max === null ? `Choose at least ${min}` : min === max ? `Choose ${min}` : `Choose ${min} to ${max}`,
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
  onePerLine: 'Je Zeile eines',
  notANumber: 'Das ist keine Zahl.',
  notADate: 'Das ist kein vollständiges Datum.',
  notSupported: 'Das kann hier nicht geändert werden.',
  howMany: (min, max) =>
    max === null ? `Mindestens ${min} wählen` : min === max ? `${min} wählen` : `${min} bis ${max} wählen`,
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
};

const ALL: Record<string, Texts> = { en, de, es, fr, hu, ar };

/** Of the language with this tag, or English; `own` goes before. */
export function textsFor(tag: string | undefined, own: Partial<Texts> = {}): Texts {
  return { ...(ALL[tag?.split('-')[0]?.toLowerCase() ?? 'en'] ?? en), ...own };
}
