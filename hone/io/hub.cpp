#include "hone/io/hub.h"

#include <openssl/evp.h>

#include <algorithm>
#include <optional>

#include "hone/base/append_file.h"
#include "hone/base/check.h"
#include "hone/base/cpu.h"
#include "hone/base/json.h"
#include "hone/io/http.h"

namespace hone::io {
namespace {

std::string first_of(const std::string& value, const char* variable, const std::string& otherwise) {
  return !value.empty() ? value : environment(variable).value_or(otherwise);
}

Path cache_folder(const Path& given) {
  if (!given.empty()) return given;
  if (const auto cache = environment("HF_HUB_CACHE")) return *cache;
  const std::string home = environment("HOME").value_or(".");
  return Path(environment("HF_HOME").value_or(home + "/.cache/huggingface")) / "hub";
}

bool is_model_file(const std::string& name) {
  const auto ends = [&](const char* suffix) { return name.ends_with(suffix); };
  return ends(".json") || ends(".jinja") || ends(".safetensors") || ends("tokenizer.model");
}

/// A name that stays inside its folder.
void check_file_name(const std::string& name) {
  const Path path(name);
  const bool inside = path.is_relative() && std::none_of(path.begin(), path.end(),
                                                         [](const Path& p) { return p == ".."; });
  HONE_CHECK(inside && !name.empty(),
             "the hub names a file '{}', which would lie outside the cache", name);
}

[[noreturn]] void fail_status(const std::string& what, const HttpResponse& response) {
  switch (response.status) {
    case 401:
    case 403:
      fail_input("{}: the hub refused it (HTTP {}); set HF_TOKEN to a token that may read it", what,
                 response.status);
    case 404:
      fail_input("{}: the hub does not have it (HTTP 404); check name and revision", what);
    default:
      fail("{}: the hub answered HTTP {}", what, response.status);
  }
}

/// What git stores as the name of a file: SHA-1 of "blob SIZE\0" and its bytes.
std::string git_hash(std::string_view bytes) {
  const std::string blob = fmt::format("blob {}{}", bytes.size(), '\0') + std::string(bytes);
  unsigned char digest[20];
  unsigned size = 0;
  EVP_Digest(blob.data(), blob.size(), digest, &size, EVP_sha1(), nullptr);
  std::string hex;
  for (unsigned char byte : digest) hex += fmt::format("{:02x}", byte);
  return hex;
}

/// Whether the file's bytes have the hash that its etag is: SHA-256 (large files) or git's.
bool has_hash(const Path& file, const std::string& etag) {
  if (etag.size() == 64) return sha256_file(file) == etag;
  return etag.size() != 40 || git_hash(MappedFile(file).bytes()) == etag;
}

class Puller {
 public:
  explicit Puller(PullOptions options) : options_(std::move(options)) {
    options_.endpoint = first_of(options_.endpoint, "HF_ENDPOINT", "https://huggingface.co");
    options_.token = first_of(options_.token, "HF_TOKEN", "");
    const size_t slash = options_.repository.find('/');
    HONE_CHECK(slash != std::string::npos && slash > 0 && slash + 1 < options_.repository.size() &&
                   options_.repository.find('/', slash + 1) == std::string::npos,
               "a repository is written ORG/NAME, but it is '{}'", options_.repository);
    std::string folder = "models--" + options_.repository;
    folder.replace(folder.find('/'), 1, "--");
    root_ = cache_folder(options_.cache) / folder;
  }

  Path run() {
    const Json info = read_info();
    const auto commit = info.at("sha").get<std::string>();
    check_file_name(commit);
    for (const auto& sibling : info.at("siblings")) {
      const auto name = sibling.at("rfilename").get<std::string>();
      check_file_name(name);
      if (is_model_file(name)) pull_file(commit, name);
    }
    write_file(root_ / "refs" / options_.revision, commit);
    return root_ / "snapshots" / commit;
  }

 private:
  Json read_info() const {
    std::string body;
    const std::string what = options_.repository + " at " + options_.revision;
    const auto response = http_get({.url = options_.endpoint + "/api/models/" +
                                           options_.repository + "/revision/" + options_.revision,
                                    .token = options_.token,
                                    .on_bytes = [&](std::string_view b) { body += b; }});
    if (response.status != 200) fail_status(what, response);
    const Json info = parse_json(body, what);
    HONE_CHECK(info.is_object() && info.contains("sha") && info.contains("siblings"),
               "{}: the hub's answer has no 'sha' and 'siblings'", what);
    return info;
  }

  void pull_file(const std::string& commit, const std::string& name) const {
    const Path target = root_ / "snapshots" / commit / name;
    if (std::filesystem::exists(target)) return;
    const std::string url =
        options_.endpoint + "/" + options_.repository + "/resolve/" + commit + "/" + name;
    const auto head = http_get({.url = url, .token = options_.token, .head = true, .on_bytes = {}});
    if (head.status >= 400) fail_status(options_.repository + "/" + name, head);
    const std::string etag = etag_of(head, name);
    const Path blob = root_ / "blobs" / etag;
    if (!std::filesystem::exists(blob)) download(url, name, blob, etag);
    std::filesystem::create_directories(target.parent_path());
    const Path link = std::filesystem::relative(blob, target.parent_path());
    std::filesystem::create_symlink(link, target);
  }

  static std::string etag_of(const HttpResponse& head, const std::string& name) {
    for (const char* header : {"x-linked-etag", "etag"}) {
      const auto found = head.headers.find(header);
      if (found == head.headers.end()) continue;
      std::string etag = found->second;
      std::erase(etag, '"');
      if (etag.starts_with("W/")) etag.erase(0, 2);
      check_file_name(etag);
      return etag;
    }
    fail("{}: the hub's answer has no ETag", name);
  }

  void download(const std::string& url, const std::string& name, const Path& blob,
                const std::string& etag) const {
    const Path part = blob.string() + ".incomplete";
    auto have = std::filesystem::exists(part)
                    ? static_cast<int64_t>(std::filesystem::file_size(part))
                    : int64_t{0};
    HttpResponse response = transfer(url, name, part, have);
    // The part may be of another file, as long as the file already (416), or unknown to a server
    // without ranges: unless the whole has its hash now, it is loaded anew.
    if (have > 0 && !has_hash(part, etag)) {
      std::filesystem::remove(part);
      response = transfer(url, name, part, 0);
    }
    const bool complete =
        response.status == 200 || response.status == 206 || response.status == 416;
    if (!complete) fail_status(options_.repository + "/" + name, response);
    if (!has_hash(part, etag)) {
      std::filesystem::remove(part);
      fail("{}: what was downloaded does not have the hash {} that the hub gives; try again", name,
           etag);
    }
    std::filesystem::rename(part, blob);
  }

  HttpResponse transfer(const std::string& url, const std::string& name, const Path& part,
                        int64_t from) const {
    AppendFile file(part, from);
    int64_t done = from;
    const auto response = http_get({.url = url,
                                    .token = options_.token,
                                    .range_begin = from,
                                    .on_bytes = [&](std::string_view bytes) {
                                      file.append(bytes);
                                      done += static_cast<int64_t>(bytes.size());
                                      if (options_.progress) options_.progress(name, done);
                                    }});
    file.sync();
    return response;
  }

  PullOptions options_;
  Path root_;
};

}  // namespace

Path pull(PullOptions options) {
  return Puller(std::move(options)).run();
}

}  // namespace hone::io
