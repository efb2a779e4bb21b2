// Reads lines of {"tables": {name: columns}, "queries": {name: text}} and answers each with a line of
// {name: ["position: message", …]}.
// Runs in a folder with the package, which is a script for browsers: it defines a global.
const fs = require('fs');
const path = require('path');
const readline = require('readline');
const vm = require('vm');

globalThis.window = globalThis;
const folder = path.join(process.cwd(), 'node_modules', '@kusto', 'language-service-next');
for (const name of ['bridge.min.js', 'Kusto.Language.Bridge.min.js']) {
  const file = path.join(folder, name);
  vm.runInThisContext(fs.readFileSync(file, 'utf8'), { filename: file });
}
const { KustoCode, GlobalState, Symbols } = globalThis.Kusto.Language;

function diagnose(text, globals) {
  const found = KustoCode.ParseAndAnalyze(text, globals).GetDiagnostics();
  return Array.from({ length: found.Count }, (_, place) => found.getItem(place)).map(
    (one) => `${one.Start}: ${one.Message}`,
  );
}

readline.createInterface({ input: process.stdin }).on('line', (line) => {
  const { tables, queries } = JSON.parse(line);
  const symbols = Object.entries(tables).map(([name, columns]) => new Symbols.TableSymbol.$ctor7(name, columns, null));
  const globals = GlobalState.Default.WithDatabase(new Symbols.DatabaseSymbol.ctor('workspace', symbols));
  const answer = Object.entries(queries).map(([name, text]) => [name, diagnose(text, globals)]);
  process.stdout.write(`${JSON.stringify(Object.fromEntries(answer))}\n`);
});
