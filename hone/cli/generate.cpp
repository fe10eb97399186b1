#include <CLI/CLI.hpp>
#include <map>

#include "hone/base/append_file.h"
#include "hone/base/progress.h"
#include "hone/cli/commands.h"
#include "hone/cli/requests.h"
#include "hone/cli/session.h"
#include "hone/cli/text_stream.h"

namespace hone::cli {
namespace {

struct GenerateOptions {
  ModelOptions model;
  std::string input, output;
  engine::SamplingParams sampling;
};

/// A request in flight and what it gave so far.
struct Job {
  size_t line = 0;
  TextStream stream;
  std::string text;
};

/// Bytes of the complete lines of a former run, and how many there are.
struct Resume {
  int64_t bytes = 0;
  size_t lines = 0;
};

Resume find_resume(const Path& output) {
  if (!std::filesystem::exists(output)) return {};
  Resume resume;
  const std::string text = read_file(output);
  for (size_t end; (end = text.find('\n', resume.bytes)) != std::string::npos; ++resume.lines) {
    resume.bytes = static_cast<int64_t>(end) + 1;
  }
  return resume;
}

std::string output_line(const data::JsonLine& input, const std::string& text,
                        const engine::Sequence& sequence) {
  Json line = Json::object();
  if (input.object.contains("id")) line["id"] = input.object["id"];
  line["text"] = text;
  const auto output = sequence.output();
  line["token_ids"] = std::vector<int32_t>(output.begin(), output.end());
  line["logprobs"] = Json::array();
  for (float log_prob : sequence.log_probs) line["logprobs"].push_back(json_float(log_prob));
  line["raw_logprobs"] = Json::array();
  for (float log_prob : sequence.raw_log_probs) {
    line["raw_logprobs"].push_back(json_float(log_prob));
  }
  line["finish_reason"] = engine::to_string(sequence.finish_reason);
  return print_json(line) + "\n";
}

/// Runs all lines from `resume` on; output lines are in input order, written as soon as all before
/// them are.
class BatchRun {
 public:
  BatchRun(Session& session, const std::vector<data::JsonLine>& lines, const Path& output)
      : session_(session),
        lines_(lines),
        next_(find_resume(output).lines),
        file_(output, find_resume(output).bytes),
        progress_({.label = "generate",
                   .unit = "lines",
                   .total = static_cast<int64_t>(lines.size()),
                   .done = static_cast<int64_t>(next_)}) {}

  void run(const engine::SamplingParams& defaults) {
    for (size_t i = next_; i < lines_.size(); ++i) {
      auto request = make_request(lines_[i], session_.files, defaults);
      request.item = static_cast<uint32_t>(i);
      TextStream stream(session_.files.tokenizer, request.params);
      jobs_.emplace(session_.engine->add(std::move(request)), Job{i, std::move(stream), {}});
    }
    while (!session_.engine->idle()) {
      for (auto& sequence : session_.engine->step([&](auto& s) { on_token(s); })) end(*sequence);
      progress_.update(static_cast<int64_t>(next_));
    }
    file_.sync();
  }

 private:
  void on_token(engine::Sequence& sequence) {
    Job& job = jobs_.at(sequence.request_id);
    job.text += job.stream.push(sequence);
    if (job.stream.stopped()) {
      session_.engine->finish(sequence, engine::FinishReason::stop_string);
    }
  }

  void end(const engine::Sequence& sequence) {
    Job& job = jobs_.at(sequence.request_id);
    job.text += job.stream.finish();
    done_[job.line] = output_line(lines_[job.line], job.text, sequence);
    jobs_.erase(sequence.request_id);
    for (auto first = done_.begin(); first != done_.end() && first->first == next_; ++next_) {
      file_.append(first->second);
      first = done_.erase(first);
    }
  }

  Session& session_;
  const std::vector<data::JsonLine>& lines_;
  size_t next_;  // lines written
  AppendFile file_;
  Progress progress_;
  std::map<uint64_t, Job> jobs_;
  std::map<size_t, std::string> done_;  // lines that wait for one before them
};

int generate(const GenerateOptions& options) {
  std::vector<data::JsonLine> lines;
  data::for_each_line(options.input, [&](const data::JsonLine& line) { lines.push_back(line); });
  Session session(options.model);
  BatchRun(session, lines, options.output).run(options.sampling);
  return 0;
}

}  // namespace

Command add_generate(CLI::App& app) {
  auto options = std::make_shared<GenerateOptions>();
  options->model.add_to(app);
  app.add_option("-i,--input", options->input,
                 "JSON lines: prompt, messages or token_ids, and any sampling field")
      ->required();
  app.add_option(
         "-o,--output", options->output,
         "JSON lines: text, token_ids, logprobs (of the distribution drawn from), "
         "raw_logprobs (of the plain softmax), finish_reason; complete lines of a former run "
         "are kept and skipped")
      ->required();
  add_sampling(app, options->sampling);
  app.footer(
      "Example:\n  echo '{\"prompt\": \"Once upon a time\", \"max_tokens\": 32}' > in.jsonl\n"
      "  hone generate --model smollm2 --input in.jsonl --output out.jsonl");
  return [options] { return generate(*options); };
}

}  // namespace hone::cli
