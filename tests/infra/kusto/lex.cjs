// Reads [text, …] and answers, for each, where its tokens begin and end as Microsoft's lexer finds them.
// Runs in a folder with the package, which is a script for browsers: it defines a global.
const fs = require('fs');
const path = require('path');
const vm = require('vm');

globalThis.window = globalThis;
const folder = path.join(process.cwd(), 'node_modules', '@kusto', 'language-service-next');
for (const name of ['bridge.min.js', 'Kusto.Language.Bridge.min.js']) {
  const file = path.join(folder, name);
  vm.runInThisContext(fs.readFileSync(file, 'utf8'), { filename: file });
}
const { ParseOptions, Parsing } = globalThis.Kusto.Language;

function places(text) {
  const found = [];
  let place = 0;
  for (;;) {
    const token = Parsing.TokenParser.ParseToken(text, place, ParseOptions.Default);
    if (token === null || token.Text === '') return found;
    const start = place + token.Trivia.length;
    place = start + token.Text.length;
    found.push([start, place]);
  }
}

process.stdout.write(JSON.stringify(JSON.parse(fs.readFileSync(0, 'utf8')).map(places)));
