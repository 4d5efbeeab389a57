import type { Role } from '../../storage/port.ts';
import type { PortalLanguage } from '../accounts/account.ts';

/** What changed about how an account signs in. */
export type AccountChange = 'password' | 'twoStepOn' | 'twoStepOff' | 'recoveryCodes';

/** What the operator reset from the command line. */
export type AccountReset = 'password' | 'twoStep' | 'both';

/** What a letter is about; times are milliseconds since the epoch. */
export type LetterContent =
  | { kind: 'invitation'; application: string; role: Role; invitedBy: string; link: string; expiresAt: number }
  | { kind: 'password' | 'signIn'; link: string; expiresAt: number }
  | { kind: 'accountChanged'; change: AccountChange; at: number; link: string }
  | { kind: 'accountReset'; reset: AccountReset; at: number; link: string }
  | { kind: 'secretExpires'; application: string; expiresAt: number; link: string }
  | { kind: 'webhookFails'; application: string; host: string; since: number; link: string }
  | { kind: 'webhookOff'; application: string; host: string; link: string };

/** One letter in one language: the paragraphs come before the link, the notes after it. */
type LetterParts = { subject: string; paragraphs: string[]; action: string; notes: string[] };

type Texts = {
  role: Record<Role, string>;
  change: Record<AccountChange, string>;
  reset: Record<AccountReset, string>;
  write(content: LetterContent, time: (at: number) => string): LetterParts;
};

const en: Texts = {
  role: { viewer: 'viewer', translator: 'translator', support: 'support', editor: 'editor', owner: 'owner' },
  change: {
    password: 'Your password was changed',
    twoStepOn: 'Two-step sign-in was turned on',
    twoStepOff: 'Two-step sign-in was turned off',
    recoveryCodes: 'New recovery codes were created',
  },
  reset: {
    password: 'Your password was reset',
    twoStep: 'Two-step sign-in was reset',
    both: 'Your password and two-step sign-in were reset',
  },
  write(content, time) {
    const once = 'The link works once. Do not forward it.';
    switch (content.kind) {
      case 'invitation':
        return {
          subject: `Invitation to ${content.application}`,
          paragraphs: [
            `${content.invitedBy} invited you to work on ${content.application} in Innkeeper. Your role: ${en.role[content.role]}.`,
          ],
          action: 'Accept invitation',
          notes: [
            `Valid until ${time(content.expiresAt)}. ${once}`,
            'If you do not know the sender, ignore this mail.',
          ],
        };
      case 'password':
        return {
          subject: 'Set a new password',
          paragraphs: ['Someone asked to reset your Innkeeper password. Open the link, sign in and set a new one.'],
          action: 'Set a new password',
          notes: [
            `Valid until ${time(content.expiresAt)}. ${once}`,
            'If it was not you, ignore this mail. Your password stays the same.',
          ],
        };
      case 'signIn':
        return {
          subject: 'Your sign-in link',
          paragraphs: ['Use this link to sign in to Innkeeper.'],
          action: 'Sign in',
          notes: [`Valid until ${time(content.expiresAt)}. ${once}`, 'If you did not ask for it, ignore this mail.'],
        };
      case 'accountChanged':
        return {
          subject: en.change[content.change],
          paragraphs: [`${en.change[content.change]} in Innkeeper at ${time(content.at)}.`],
          action: 'Open account',
          notes: [
            'If it was you, there is nothing to do.',
            'If it was not you, set a new password now, end all other sessions on the same page, and tell your administrator.',
          ],
        };
      case 'accountReset':
        return {
          subject: en.reset[content.reset],
          paragraphs: [
            `${en.reset[content.reset]} by the operator of Innkeeper at ${time(content.at)}. All your sessions have ended.`,
          ],
          action: 'Sign in',
          notes: [
            'If you asked for it, sign in with the link that the operator gives you, or request one on the sign-in page.',
            'If you did not ask for it, tell your administrator.',
          ],
        };
      case 'secretExpires':
        return {
          subject: `${content.application}: the previous secret expires soon`,
          paragraphs: [
            `The previous secret of ${content.application} is still in use. It stops working at ${time(content.expiresAt)}.`,
            'Deploy the new secret to every client before then.',
          ],
          action: 'Open credentials',
          notes: ['You get this mail once because you own the application.'],
        };
      case 'webhookFails':
        return {
          subject: `${content.application}: a webhook is failing`,
          paragraphs: [
            `Events for ${content.host} have not been delivered since ${time(content.since)}.`,
            'Innkeeper keeps trying and switches the webhook off after five days without success.',
          ],
          action: 'Open webhooks',
          notes: ['You get this mail once because you own the application.'],
        };
      case 'webhookOff':
        return {
          subject: `${content.application}: a webhook was switched off`,
          paragraphs: [
            `The webhook to ${content.host} was switched off because its receiver failed for too long or responded with 410.`,
            'Events are kept. Switch it on again and it continues where it stopped.',
          ],
          action: 'Open webhooks',
          notes: ['You get this mail once because you own the application.'],
        };
    }
  },
};

const de: Texts = {
  role: {
    viewer: 'Betrachter',
    translator: 'Übersetzer',
    support: 'Support',
    editor: 'Bearbeiter',
    owner: 'Eigentümer',
  },
  change: {
    password: 'Ihr Passwort wurde geändert',
    twoStepOn: 'Die Anmeldung in zwei Schritten wurde eingeschaltet',
    twoStepOff: 'Die Anmeldung in zwei Schritten wurde ausgeschaltet',
    recoveryCodes: 'Neue Wiederherstellungscodes wurden erstellt',
  },
  reset: {
    password: 'Ihr Passwort wurde zurückgesetzt',
    twoStep: 'Die Zwei-Faktor-Anmeldung wurde zurückgesetzt',
    both: 'Passwort und Zwei-Faktor-Anmeldung wurden zurückgesetzt',
  },
  write(content, time) {
    const once = 'Der Link funktioniert einmal. Bitte nicht weiterleiten.';
    switch (content.kind) {
      case 'invitation':
        return {
          subject: `Einladung zu ${content.application}`,
          paragraphs: [
            `${content.invitedBy} hat Sie eingeladen, in Innkeeper an ${content.application} mitzuarbeiten. Ihre Rolle: ${de.role[content.role]}.`,
          ],
          action: 'Einladung annehmen',
          notes: [
            `Gültig bis ${time(content.expiresAt)}. ${once}`,
            'Wenn Sie den Absender nicht kennen, ignorieren Sie diese E-Mail.',
          ],
        };
      case 'password':
        return {
          subject: 'Neues Passwort festlegen',
          paragraphs: [
            'Jemand möchte Ihr Innkeeper-Passwort zurücksetzen. Öffnen Sie den Link, melden Sie sich an und legen Sie ein neues fest.',
          ],
          action: 'Neues Passwort festlegen',
          notes: [
            `Gültig bis ${time(content.expiresAt)}. ${once}`,
            'Wenn Sie das nicht waren, ignorieren Sie diese E-Mail. Ihr Passwort bleibt unverändert.',
          ],
        };
      case 'signIn':
        return {
          subject: 'Ihr Anmeldelink',
          paragraphs: ['Mit diesem Link melden Sie sich bei Innkeeper an.'],
          action: 'Anmelden',
          notes: [
            `Gültig bis ${time(content.expiresAt)}. ${once}`,
            'Wenn Sie ihn nicht angefordert haben, ignorieren Sie diese E-Mail.',
          ],
        };
      case 'accountChanged':
        return {
          subject: de.change[content.change],
          paragraphs: [`${de.change[content.change]} (Innkeeper, ${time(content.at)}).`],
          action: 'Konto öffnen',
          notes: [
            'Wenn Sie das waren, müssen Sie nichts tun.',
            'Wenn nicht, legen Sie sofort ein neues Passwort fest, beenden Sie auf derselben Seite alle anderen Sitzungen und informieren Sie Ihren Administrator.',
          ],
        };
      case 'accountReset':
        return {
          subject: de.reset[content.reset],
          paragraphs: [
            `${de.reset[content.reset]}, und zwar durch den Betreiber von Innkeeper (${time(content.at)}). Alle Ihre Sitzungen sind beendet.`,
          ],
          action: 'Anmelden',
          notes: [
            'Wenn Sie darum gebeten haben, melden Sie sich mit dem Link an, den Sie vom Betreiber erhalten, oder fordern Sie auf der Anmeldeseite einen an.',
            'Wenn nicht, informieren Sie Ihren Administrator.',
          ],
        };
      case 'secretExpires':
        return {
          subject: `${content.application}: Das vorige Secret läuft bald ab`,
          paragraphs: [
            `Das vorige Secret von ${content.application} wird noch verwendet. Es gilt nur noch bis ${time(content.expiresAt)}.`,
            'Stellen Sie vorher alle Clients auf das neue Secret um.',
          ],
          action: 'Zugangsdaten öffnen',
          notes: ['Sie erhalten diese E-Mail einmalig als Eigentümer der Anwendung.'],
        };
      case 'webhookFails':
        return {
          subject: `${content.application}: Ein Webhook schlägt fehl`,
          paragraphs: [
            `Ereignisse für ${content.host} konnten seit ${time(content.since)} nicht zugestellt werden.`,
            'Innkeeper versucht es weiter und schaltet den Webhook nach fünf Tagen ohne Erfolg aus.',
          ],
          action: 'Webhooks öffnen',
          notes: ['Sie erhalten diese E-Mail einmalig als Eigentümer der Anwendung.'],
        };
      case 'webhookOff':
        return {
          subject: `${content.application}: Ein Webhook wurde ausgeschaltet`,
          paragraphs: [
            `Der Webhook zu ${content.host} wurde ausgeschaltet, weil sein Empfänger zu lange nicht erreichbar war oder mit 410 geantwortet hat.`,
            'Die Ereignisse bleiben erhalten. Nach dem Einschalten geht es dort weiter, wo er aufgehört hat.',
          ],
          action: 'Webhooks öffnen',
          notes: ['Sie erhalten diese E-Mail einmalig als Eigentümer der Anwendung.'],
        };
    }
  },
};

const es: Texts = {
  role: { viewer: 'observador', translator: 'traductor', support: 'soporte', editor: 'editor', owner: 'propietario' },
  change: {
    password: 'Se ha cambiado su contraseña',
    twoStepOn: 'Se ha activado la verificación en dos pasos',
    twoStepOff: 'Se ha desactivado la verificación en dos pasos',
    recoveryCodes: 'Se han creado códigos de recuperación nuevos',
  },
  reset: {
    password: 'Se ha restablecido su contraseña',
    twoStep: 'Se ha restablecido la verificación en dos pasos',
    both: 'Se han restablecido su contraseña y la verificación en dos pasos',
  },
  write(content, time) {
    const once = 'El enlace funciona una sola vez. No lo reenvíe.';
    switch (content.kind) {
      case 'invitation':
        return {
          subject: `Invitación a ${content.application}`,
          paragraphs: [
            `${content.invitedBy} le ha invitado a trabajar en ${content.application} con Innkeeper. Su rol: ${es.role[content.role]}.`,
          ],
          action: 'Aceptar invitación',
          notes: [
            `Válido hasta el ${time(content.expiresAt)}. ${once}`,
            'Si no conoce al remitente, ignore este correo.',
          ],
        };
      case 'password':
        return {
          subject: 'Crear una contraseña nueva',
          paragraphs: [
            'Alguien ha pedido restablecer su contraseña de Innkeeper. Abra el enlace, inicie sesión y cree una nueva.',
          ],
          action: 'Crear una contraseña nueva',
          notes: [
            `Válido hasta el ${time(content.expiresAt)}. ${once}`,
            'Si no ha sido usted, ignore este correo. Su contraseña no cambia.',
          ],
        };
      case 'signIn':
        return {
          subject: 'Su enlace para iniciar sesión',
          paragraphs: ['Use este enlace para iniciar sesión en Innkeeper.'],
          action: 'Iniciar sesión',
          notes: [`Válido hasta el ${time(content.expiresAt)}. ${once}`, 'Si no lo ha pedido, ignore este correo.'],
        };
      case 'accountChanged':
        return {
          subject: es.change[content.change],
          paragraphs: [`${es.change[content.change]} en Innkeeper el ${time(content.at)}.`],
          action: 'Abrir la cuenta',
          notes: [
            'Si ha sido usted, no tiene que hacer nada.',
            'Si no ha sido usted, cree una contraseña nueva ahora mismo, cierre las demás sesiones en la misma página y avise a su administrador.',
          ],
        };
      case 'accountReset':
        return {
          subject: es.reset[content.reset],
          paragraphs: [
            `${es.reset[content.reset]}. Lo ha hecho el operador de Innkeeper el ${time(content.at)}. Todas sus sesiones se han cerrado.`,
          ],
          action: 'Iniciar sesión',
          notes: [
            'Si lo ha pedido usted, inicie sesión con el enlace que le dé el operador o pida uno en la página de inicio de sesión.',
            'Si no lo ha pedido, avise a su administrador.',
          ],
        };
      case 'secretExpires':
        return {
          subject: `${content.application}: el secreto anterior caduca pronto`,
          paragraphs: [
            `El secreto anterior de ${content.application} todavía se usa. Deja de funcionar el ${time(content.expiresAt)}.`,
            'Cambie antes todos los clientes al secreto nuevo.',
          ],
          action: 'Abrir credenciales',
          notes: ['Recibe este correo una sola vez porque es propietario de la aplicación.'],
        };
      case 'webhookFails':
        return {
          subject: `${content.application}: un webhook falla`,
          paragraphs: [
            `Los eventos para ${content.host} no se entregan desde el ${time(content.since)}.`,
            'Innkeeper sigue intentándolo y desactiva el webhook tras cinco días sin éxito.',
          ],
          action: 'Abrir webhooks',
          notes: ['Recibe este correo una sola vez porque es propietario de la aplicación.'],
        };
      case 'webhookOff':
        return {
          subject: `${content.application}: se ha desactivado un webhook`,
          paragraphs: [
            `El webhook a ${content.host} se ha desactivado porque su receptor ha fallado demasiado tiempo o ha respondido 410.`,
            'Los eventos se conservan. Al activarlo de nuevo, continúa donde se quedó.',
          ],
          action: 'Abrir webhooks',
          notes: ['Recibe este correo una sola vez porque es propietario de la aplicación.'],
        };
    }
  },
};

const hu: Texts = {
  role: {
    viewer: 'megfigyelő',
    translator: 'fordító',
    support: 'ügyfélszolgálat',
    editor: 'szerkesztő',
    owner: 'tulajdonos',
  },
  change: {
    password: 'Megváltozott a jelszava',
    twoStepOn: 'Bekapcsolták a kétlépcsős bejelentkezést',
    twoStepOff: 'Kikapcsolták a kétlépcsős bejelentkezést',
    recoveryCodes: 'Új helyreállító kódok készültek',
  },
  reset: {
    password: 'Jelszavát visszaállították',
    twoStep: 'A kétlépcsős bejelentkezést visszaállították',
    both: 'Jelszavát és a kétlépcsős bejelentkezést visszaállították',
  },
  write(content, time) {
    const once = 'A hivatkozás egyszer használható. Ne továbbítsa.';
    switch (content.kind) {
      case 'invitation':
        return {
          subject: `Meghívó: ${content.application}`,
          paragraphs: [
            `${content.invitedBy} meghívta Önt, hogy az Innkeeperben dolgozzon a következő alkalmazáson: ${content.application}. Szerepköre: ${hu.role[content.role]}.`,
          ],
          action: 'Meghívó elfogadása',
          notes: [
            `Érvényes eddig: ${time(content.expiresAt)}. ${once}`,
            'Ha nem ismeri a feladót, hagyja figyelmen kívül ezt a levelet.',
          ],
        };
      case 'password':
        return {
          subject: 'Új jelszó megadása',
          paragraphs: [
            'Valaki az Ön Innkeeper-jelszavának visszaállítását kérte. Nyissa meg a hivatkozást, jelentkezzen be, és adjon meg új jelszót.',
          ],
          action: 'Új jelszó megadása',
          notes: [
            `Érvényes eddig: ${time(content.expiresAt)}. ${once}`,
            'Ha nem Ön kérte, hagyja figyelmen kívül ezt a levelet. A jelszava nem változik.',
          ],
        };
      case 'signIn':
        return {
          subject: 'Bejelentkezési hivatkozás',
          paragraphs: ['Ezzel a hivatkozással jelentkezhet be az Innkeeperbe.'],
          action: 'Bejelentkezés',
          notes: [
            `Érvényes eddig: ${time(content.expiresAt)}. ${once}`,
            'Ha nem Ön kérte, hagyja figyelmen kívül ezt a levelet.',
          ],
        };
      case 'accountChanged':
        return {
          subject: hu.change[content.change],
          paragraphs: [`${hu.change[content.change]} az Innkeeperben: ${time(content.at)}.`],
          action: 'Fiók megnyitása',
          notes: [
            'Ha Ön volt, nincs teendője.',
            'Ha nem Ön volt, azonnal adjon meg új jelszót, ugyanazon az oldalon zárja le a többi munkamenetet, és értesítse a rendszergazdát.',
          ],
        };
      case 'accountReset':
        return {
          subject: hu.reset[content.reset],
          paragraphs: [
            `${hu.reset[content.reset]}. Ezt az Innkeeper üzemeltetője tette: ${time(content.at)}. Minden munkamenete lezárult.`,
          ],
          action: 'Bejelentkezés',
          notes: [
            'Ha Ön kérte, jelentkezzen be az üzemeltetőtől kapott hivatkozással, vagy kérjen egyet a bejelentkezési oldalon.',
            'Ha nem Ön kérte, értesítse a rendszergazdát.',
          ],
        };
      case 'secretExpires':
        return {
          subject: `${content.application}: hamarosan lejár az előző titkos kulcs`,
          paragraphs: [
            `A(z) ${content.application} alkalmazás előző titkos kulcsát még használják. Eddig érvényes: ${time(content.expiresAt)}.`,
            'Addig állítson át minden klienst az új kulcsra.',
          ],
          action: 'Hitelesítő adatok megnyitása',
          notes: ['Ezt a levelet egyszer küldjük el Önnek az alkalmazás tulajdonosaként.'],
        };
      case 'webhookFails':
        return {
          subject: `${content.application}: hibás webhook`,
          paragraphs: [
            `A(z) ${content.host} címre ${time(content.since)} óta nem sikerül eseményt kézbesíteni.`,
            'Az Innkeeper tovább próbálkozik, és öt sikertelen nap után kikapcsolja a webhookot.',
          ],
          action: 'Webhookok megnyitása',
          notes: ['Ezt a levelet egyszer küldjük el Önnek az alkalmazás tulajdonosaként.'],
        };
      case 'webhookOff':
        return {
          subject: `${content.application}: egy webhook ki lett kapcsolva`,
          paragraphs: [
            `A(z) ${content.host} címre küldő webhook ki lett kapcsolva, mert a fogadó túl sokáig hibázott, vagy 410-es választ adott.`,
            'Az események megmaradnak. Bekapcsolás után ott folytatja, ahol abbahagyta.',
          ],
          action: 'Webhookok megnyitása',
          notes: ['Ezt a levelet egyszer küldjük el Önnek az alkalmazás tulajdonosaként.'],
        };
    }
  },
};

export const LETTER_TEXTS: Record<PortalLanguage, Texts> = { en, de, es, hu };
