// Evaluates GitHub's expressions with GitHub's own evaluator. stdin: [{expression, contexts, status}], stdout: [value].
import { readFileSync } from "node:fs";
import { data, Evaluator, Lexer, Parser } from "@actions/expressions";

function toData(value) {
  return JSON.parse(JSON.stringify(value), data.reviver);
}

function statusFunctions(status) {
  const answers = {
    always: true,
    success: status === "success",
    failure: status === "failure",
    cancelled: status === "cancelled",
  };
  return Object.entries(answers).map(([name, answer]) => ({
    name,
    minArgs: 0,
    maxArgs: 0,
    call: () => new data.BooleanData(answer),
  }));
}

function evaluate({ expression, contexts, status }) {
  const functions = statusFunctions(status);
  const tokens = new Lexer(expression).lex().tokens;
  const tree = new Parser(tokens, Object.keys(contexts), functions).parse();
  const named = new Map(functions.map((definition) => [definition.name, definition]));
  return new Evaluator(tree, toData(contexts), named).evaluate();
}

const results = JSON.parse(readFileSync(0, "utf8")).map(evaluate);
process.stdout.write(JSON.stringify(results, data.replacer));
