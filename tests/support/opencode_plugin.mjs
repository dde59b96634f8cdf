// OpenCode's side of a plugin: `node opencode_plugin.mjs PLUGIN FOLDER`. A line on stdin is [hook, input, output]; the
// answer is {denied, output}: what was thrown, and what the plugin made of the output.
import readline from "node:readline"
import { pathToFileURL } from "node:url"

const { Palimp, ...others } = await import(pathToFileURL(process.argv[2]))
if (Object.keys(others).length) throw new Error("OpenCode takes everything that a file exports for a plugin")
const hooks = await Palimp({ directory: process.argv[3] })
for await (const line of readline.createInterface({ input: process.stdin })) {
  const [name, input, output] = JSON.parse(line)
  let denied = null
  try {
    await hooks[name]?.(input, output)
  } catch (error) {
    denied = error.message
  }
  console.log(JSON.stringify({ denied, output }))
}
