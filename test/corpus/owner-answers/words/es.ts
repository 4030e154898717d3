import { blocks, lines, type Words } from './words.ts';

export const es: Words = {
  language: 'es',
  locale: 'es-ES',
  name: 'Lucía Peña',
  yes: lines(`
Sí
Aprobado
sí
Sí, adelante.
OK
De acuerdo
Vale
Sí, por favor.
Sí, envíalo.
Adelante
Sí, de acuerdo.
Sí, gracias.
`),
  agreeing: lines(`
Me parece bien.
Perfecto.
Muy bien.
`),
  no: lines(`
No, no lo envíes.
Mejor no.
Este no, por favor.
Ni hablar.
No se lo mandes, Carl ya no trabaja allí.
Prefiero que no.
Déjalo, no lo hagas.
Esto no puede salir así.
De ninguna manera, eso nunca se acordó.
No enviar.
No lo vamos a hacer.
Por mi parte es un no.
`),
  condition: lines(`
Solo si Tim está de acuerdo.
Si al departamento legal le parece bien.
A menos que Carl ya haya escrito.
Siempre que el precio no cambie.
Con la condición de que contabilidad lo confirme.
Pero háblalo antes con Jana.
Cuando yo haya firmado el contrato.
Solo después de que lo vea Mia.
Siempre y cuando haya existencias.
Pendiente del visto bueno de mi jefe.
Pero quita la última frase.
Menos el segundo párrafo, ese fuera.
`),
  date: lines(`
Pero no antes del lunes.
Envíalo el 14 de diciembre, por favor.
Espera al jueves.
Mañana sería mejor.
Después de las fiestas.
Hoy todavía no.
Pon la entrega el viernes 11 de diciembre.
Guárdalo hasta las 15:00.
La semana que viene, por favor.
La entrega es el 9 de diciembre, no el 7.
Dentro de dos semanas.
Que salga esta tarde a las seis.
`),
  amount: lines(`
Pero por 4.200 EUR.
Que sean 10 lámparas.
Con un 5 % de descuento.
Como mucho 4.500.
Eso sí, por 4.950 euros.
El precio tiene que ser 4.300 EUR.
Dos lámparas menos.
El doble de cantidad, por favor.
No más de 4000.
Pon 20 lámparas.
4.600 en lugar de 4.800.
Más 120 EUR de envío.
`),
  takeBack: lines(`
Espera, para.
Olvida lo que he puesto arriba.
Pensándolo bien, mejor esperamos.
Borra eso.
Perdona, correo equivocado. Ignóralo.
Lo retiro.
Un momento, déjame comprobarlo antes.
Cancélalo, por favor.
Uy, esto era para Jana.
Déjalo en pausa de momento.
He cambiado de opinión.
No hagas caso de mi sí.
`),
  question: lines(`
¿Quién es Carl?
¿Por qué 12 lámparas?
¿Es la dirección correcta?
¿Mia ha revisado el precio?
¿Qué ofrecimos la última vez?
¿Me enseñas antes el texto completo?
¿Él ya lo sabe?
¿Es urgente?
¿Qué lámparas son?
¿Seguro que la fecha está bien?
¿De dónde sale ese precio?
¿Lo ha pedido él?
`),
  undecided: lines(`
Estoy reunida, lo miro luego.
Mmm.
Lo consulto con la almohada.
Tengo que preguntarle a Jana.
Quizá.
No lo tengo claro.
`),
  greetings: lines(`
Hola, Ada:
Hola Ada,
Buenos días, Ada:
`),
  closings: lines(`
Un saludo
Gracias
Saludos cordiales,
Atentamente
`),
  signatures: blocks(`
Lucía Peña
Directora comercial
Peña Iluminación, S.L.
Calle del Molino 12, 28004 Madrid
Tel. +34 910 000 123
www.pena-iluminacion.example

Lucía

Lucía Peña | Peña Iluminación
Tel. 910 000 123 | Móvil 600 000 123
lucia@pena-iluminacion.example

L. Peña, gerente
Peña Iluminación
Madrid
`),
  hardSignatures: blocks(`
Juan No Pérez
Peña Iluminación, S.L.

Lucía Peña
Plaza de la Parada 3, Madrid

Lucía Peña
Peña Iluminación: no solo lámparas.

Peña Iluminación, S.L.
Registro Mercantil de Madrid, hoja n.º M-1234567
NIF B12345678

Lucía Peña
Este mensaje es confidencial. Si no es usted el destinatario, bórrelo y no lo copie.

Lucía Peña
No imprima este correo si no es necesario.

Lucía Peña
Este correo no constituye compromiso alguno, salvo pacto en contrario.

Lucía Peña
¡No se pierda la feria, del 14 al 16 de enero, pabellón 3!

Lucía Peña
Horario: de lunes a viernes, de 9 a 17 h. Los miércoles no trabajo.

Lucía Peña
Bufete Espera & Alto
Sin garantía, salvo error u omisión.

¿Por qué esperar? Pida en línea: www.pena-iluminacion.example
`),
  footerLike: lines(`
Enviado con el precio equivocado, no lo mandes.
Enviado desde la cuenta que no era, para.
Enviado por error, espera.
Enviado desde la oficina sin haberlo leído, así que espera.
Obtener antes el visto bueno de Tim
`),
  headerLike: blocks(`
De: lunes
A: viernes
Fecha: no antes del 5 de diciembre

Condición: que Tim esté de acuerdo
Importe: 4.200 EUR
Entrega: 14 de diciembre

Para: Carl
Asunto: cámbialo antes
Fecha: la semana que viene

De: mí
Para: ti
Asunto: oferta
Nota: no enviar todavía

Cuándo: después de hablar con Jana
Qué: solo el primer párrafo
Quién: Carl no, Dora
`),
  attributionLike: lines(`
El lunes Carl me dijo que no lo quiere, escribió:
El 24 de noviembre de 2026 a las 10:00 dije que no y Jana escribió:
Espera, por favor, el viernes Mia escribió:
`),
  postscript: 'P. D.:',
  request: 'Por favor, envía hoy a Carl nuestra nueva oferta de las doce lámparas.',
  subject: 'Oferta 4711',
  letter:
    'Estimado Carl:\n\nofrecemos 12 lámparas por 4.800 EUR, entrega el lunes 7 de diciembre de 2026 a las 10:00.\n\nUn saludo\nAda',
};
