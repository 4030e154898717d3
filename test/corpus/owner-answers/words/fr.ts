import { blocks, lines, type Words } from './words.ts';

export const fr: Words = {
  language: 'fr',
  locale: 'fr-FR',
  name: 'Hélène Caron',
  yes: lines(`
Oui
Approuvé
oui
Oui, vas-y.
OK
D'accord
Oui, merci.
C'est bon, tu peux envoyer.
Oui, envoyez.
Je suis d'accord.
Oui, s'il te plaît.
Parfait, envoie.
`),
  agreeing: lines(`
Ça me va.
Très bien.
Parfait.
`),
  no: lines(`
Non, ne l'envoie pas.
Finalement non.
Pas celui-là, s'il te plaît.
Surtout pas.
N'envoyez rien, Carl a quitté la société.
Je préfère que non.
Laisse tomber.
Ça ne doit pas partir comme ça.
Hors de question, on n'a jamais convenu de ça.
Ne pas envoyer.
On ne le fait pas.
Pour moi c'est non.
`),
  condition: lines(`
Seulement si Tim est d'accord.
Si le service juridique n'y voit pas d'objection.
Sauf si Carl a déjà répondu.
Tant que le prix reste le même.
À condition que la compta ait confirmé.
Mais vois d'abord avec Jana.
Une fois que j'aurai signé le contrat.
Uniquement après relecture par Mia.
Pourvu que le stock soit vraiment là.
Sous réserve de l'accord de mon chef.
Mais enlève la dernière phrase.
Sauf le deuxième paragraphe, à supprimer.
`),
  date: lines(`
Mais pas avant lundi.
À envoyer le 14 décembre, s'il te plaît.
Attends jeudi.
Demain ce serait mieux.
Après les fêtes.
Pas aujourd'hui.
Mets la livraison au vendredi 11 décembre.
Garde-le jusqu'à 15 h.
La semaine prochaine plutôt.
La livraison, c'est le 9 décembre, pas le 7.
Dans quinze jours.
Fais-le partir ce soir à 18h.
`),
  amount: lines(`
Mais à 4 200 EUR.
Mets 10 lampes.
Avec 5 % de remise.
Maximum 4 500.
Par contre pour 4 950 euros.
Le prix doit être de 4 300 EUR.
Deux lampes de moins.
Le double de la quantité, s'il te plaît.
Pas plus de 4000.
Écris 20 lampes.
4 600 au lieu de 4 800.
Plus 120 EUR de port.
`),
  takeBack: lines(`
Attends, stop.
Oublie ce que j'ai écrit plus haut.
Réflexion faite, on attend.
Annule ça.
Désolée, mauvais mail. À ignorer.
Je retire ce que j'ai dit.
Une minute, je vérifie d'abord.
Annulez, s'il vous plaît.
Oups, c'était pour Jana.
Mets ça en attente pour l'instant.
J'ai changé d'avis.
Ne tiens pas compte de mon oui.
`),
  question: lines(`
C'est qui, Carl ?
Pourquoi 12 lampes ?
C'est la bonne adresse ?
Est-ce que Mia a vérifié le prix ?
On avait proposé combien la dernière fois ?
Tu peux me montrer le texte complet d'abord ?
Il est déjà au courant ?
C'est urgent ?
De quelles lampes s'agit-il ?
Tu es sûre de la date ?
D'où vient ce prix ?
C'est lui qui l'a demandé ?
`),
  undecided: lines(`
Je suis en réunion, je regarde plus tard.
Hum.
La nuit porte conseil, je te dis demain.
Il faut que je demande à Jana.
Peut-être.
J'hésite.
`),
  greetings: lines(`
Bonjour Ada,
Salut Ada,
Chère Ada,
`),
  closings: lines(`
Cordialement
Merci
Bien à vous,
Bonne journée
`),
  signatures: blocks(`
Hélène Caron
Directrice commerciale
Caron Luminaires SARL
12 rue du Moulin, 69002 Lyon
Tél. +33 4 72 00 01 23
www.caron-luminaires.example

Hélène

Hélène Caron | Caron Luminaires
Fixe : 04 72 00 01 23 | Portable : 06 12 00 01 23
helene@caron-luminaires.example

H. Caron, gérante
Caron Luminaires
Lyon
`),
  hardSignatures: blocks(`
Jean Non
Caron Luminaires SARL

Hélène Caron
3 rue de l'Arrêt, 69003 Lyon

Hélène Caron
Caron Luminaires - pas seulement des lampes.

Caron Luminaires SARL
RCS Lyon n° 123 456 789
TVA n° FR12 123456789

Hélène Caron
Ce message est confidentiel. Si vous n'êtes pas le destinataire, merci de le supprimer et de ne pas le diffuser.

Hélène Caron
N'imprimez ce message que si nécessaire.

Hélène Caron
Ce courriel n'engage pas la société, sauf mention contraire.

Hélène Caron
Ne manquez pas notre salon du 14 au 16 janvier, hall 3 !

Hélène Caron
Bureau ouvert du lundi au vendredi de 9 h à 17 h. Je ne travaille pas le mercredi.

Hélène Caron
Cabinet Attente & Fils
Sans garantie, sous réserve d'erreurs.

Pourquoi attendre ? Commandez en ligne : www.caron-luminaires.example
`),
  footerLike: lines(`
Envoyé avec le mauvais prix, ne pars pas là-dessus.
Envoyé de mon bureau trop vite, attends.
Envoyé à partir du mauvais compte, stop.
Envoyé depuis la voiture, je n'ai pas tout lu, donc attends.
Obtenez d'abord l'accord de Tim
`),
  headerLike: blocks(`
De : lundi
À : vendredi
Date : pas avant le 5 décembre

Condition : l'accord de Tim
Montant : 4 200 EUR
Livraison : 14 décembre

À : Carl
Objet : à modifier avant
Date : semaine prochaine

De : moi
À : toi
Objet : offre
Remarque : ne pas envoyer encore

Quand : après mon appel avec Jana
Quoi : seulement le premier paragraphe
Qui : pas Carl, Dora
`),
  attributionLike: lines(`
Lundi Carl m'a dit qu'il n'en voulait pas, il a écrit :
Le 24 novembre 2026 à 10:00 j'ai dit non et Jana a écrit :
Attends un peu, vendredi Mia a écrit :
`),
  postscript: 'PS :',
  request: "Merci d'envoyer aujourd'hui à Carl notre nouvelle offre pour les douze lampes.",
  subject: 'Offre 4711',
  letter:
    'Cher Carl,\n\nnous proposons 12 lampes pour 4 800 EUR, livraison le lundi 7 décembre 2026 à 10:00.\n\nCordialement\nAda',
};
