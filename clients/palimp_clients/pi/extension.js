// palimp in pi, put here by `palimp install --client pi`; `palimp uninstall --client pi` removes it.
//
// It tells palimp what happens in sessions, by the program `palimp hook`, and gives the agent what it answers: memories
// with a prompt and beside a tool's result, and why code that was removed is not to come back. It never fails, waits no
// longer than ENDS_MS, and without a daemon says nothing.

import { spawn } from "node:child_process"

const PROGRAM = "palimp"

const ENDS_MS = 5_000 // until an answer is given up; the program gives itself up after a fraction of it
const ANSWER_CHARACTERS_MAX = 1_000_000
const ERROR_CHARACTERS_MAX = 8_000 // of what a tool said that failed
const NOTES_MAX = 8 // of what waits for a tool's result
const CHANGING = ["edit", "write", "bash"]
const HEARD = [...CHANGING, "read"]
const SOURCES = { resume: "resume", fork: "fork" } // the others begin anew

export default function (pi) {
  let source = "" // how the session began, until it was told
  const notes = new Map() // by a call, what comes with its result

  function ask(event, context, told) {
    const session = context.sessionManager
    const where = { session: session.getSessionId(), transcript: session.getSessionFile() ?? "", cwd: context.cwd }
    return new Promise((resolve) => {
      let text = ""
      const done = (answer) => (clearTimeout(timer), resolve(answer))
      const parsed = () => {
        try {
          return JSON.parse(text)
        } catch {
          return {}
        }
      }
      const child = spawn(PROGRAM, ["hook", event, "--client", "pi"], { stdio: ["pipe", "pipe", "ignore"] })
      const timer = setTimeout(() => (child.kill(), done({})), ENDS_MS)
      for (const each of [child, child.stdin, child.stdout]) each.on("error", () => done({}))
      child.stdout.setEncoding("utf8")
      child.stdout.on("data", (piece) => (text = (text + piece).slice(0, ANSWER_CHARACTERS_MAX)))
      child.on("close", () => done(parsed()))
      child.stdin.end(JSON.stringify({ event, ...where, ...told }))
    }).catch(() => ({}))
  }

  const heard = (name, act) => pi.on(name, (event, context) => act(event, context).catch(() => undefined))

  heard("session_start", async ({ reason }) => {
    source = reason === "reload" ? "" : (SOURCES[reason] ?? "startup")
  })

  heard("before_agent_start", async ({ prompt }, context) => {
    const started = source ? await ask("session_start", context, { source }) : {}
    source = ""
    const asked = await ask("before_agent_start", context, { prompt })
    const content = [started.context, asked.context].filter(Boolean).join("\n\n")
    return content ? { message: { customType: "palimp", content, display: false } } : undefined
  })

  heard("tool_call", async ({ toolName: tool, toolCallId: call, input }, context) => {
    if (!HEARD.includes(tool)) return undefined
    const answer = await ask("tool_call", context, { tool, call, input })
    if (answer.denial) return { block: true, reason: answer.denial }
    if (answer.context && notes.size < NOTES_MAX) notes.set(call, answer.context)
    return undefined
  })

  heard("tool_result", async ({ toolName: tool, toolCallId: call, input, content, isError }, context) => {
    const note = notes.get(call)
    notes.delete(call)
    const said = isError ? content.map(({ text }) => text ?? "").join("\n").slice(0, ERROR_CHARACTERS_MAX) : ""
    const error = isError ? said || "failed" : ""
    const answer = CHANGING.includes(tool) ? await ask("tool_result", context, { tool, call, input, error }) : {}
    const text = [note, answer.context].filter(Boolean).join("\n\n")
    return text ? { content: [...content, { type: "text", text }] } : undefined
  })

  heard("session_before_compact", (_, context) => ask("session_before_compact", context, {}).then(() => undefined))
  heard("session_compact", async () => {
    source = "compact"
  })
  heard("agent_end", (_, context) => ask("agent_end", context, {}).then(() => undefined))
  heard("session_shutdown", (_, context) => ask("session_shutdown", context, {}).then(() => undefined))
}
