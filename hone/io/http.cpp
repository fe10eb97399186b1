#include "hone/io/http.h"

#include <curl/curl.h>

#include <memory>

#include "hone/base/check.h"

namespace hone::io {
namespace {

struct Transfer {
  CURL* handle = nullptr;
  const HttpRequest* request = nullptr;
  HttpResponse response;
};

size_t take_header(char* data, size_t size, size_t count, void* context) {
  auto& response = static_cast<Transfer*>(context)->response;
  std::string line(data, size * count);
  const size_t colon = line.find(':');
  if (line.starts_with("HTTP/")) response.headers.clear();
  if (colon != std::string::npos) {
    std::string name = line.substr(0, colon);
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const size_t begin = line.find_first_not_of(" \t", colon + 1);
    const size_t end = line.find_last_not_of("\r\n \t");
    response.headers[name] =
        begin == std::string::npos || end < begin ? "" : line.substr(begin, end - begin + 1);
  }
  return size * count;
}

size_t take_bytes(char* data, size_t size, size_t count, void* context) {
  auto& transfer = *static_cast<Transfer*>(context);
  long status = 0;
  curl_easy_getinfo(transfer.handle, CURLINFO_RESPONSE_CODE, &status);
  if (status >= 200 && status < 300 && transfer.request->on_bytes) {
    transfer.request->on_bytes({data, size * count});
  }
  return size * count;
}

}  // namespace

HttpResponse http_get(const HttpRequest& request) {
  const std::unique_ptr<CURL, void (*)(CURL*)> curl(curl_easy_init(), curl_easy_cleanup);
  HONE_ASSERT(curl, "curl_easy_init failed");
  Transfer transfer{curl.get(), &request, {}};
  CURL* handle = curl.get();
  curl_easy_setopt(handle, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, request.head ? 0L : 1L);
  curl_easy_setopt(handle, CURLOPT_MAXREDIRS, 10L);
  curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT, 20L);
  curl_easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(handle, CURLOPT_LOW_SPEED_TIME, 60L);
  curl_easy_setopt(handle, CURLOPT_NOBODY, request.head ? 1L : 0L);
  curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, take_header);
  curl_easy_setopt(handle, CURLOPT_HEADERDATA, &transfer);
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, take_bytes);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, &transfer);
  if (request.range_begin > 0) {
    curl_easy_setopt(handle, CURLOPT_RESUME_FROM_LARGE,
                     static_cast<curl_off_t>(request.range_begin));
  }
  if (!request.token.empty()) {
    curl_easy_setopt(handle, CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
    curl_easy_setopt(handle, CURLOPT_XOAUTH2_BEARER, request.token.c_str());
  }
  const CURLcode code = curl_easy_perform(handle);
  curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &transfer.response.status);
  // A server that ignores the range is told apart by its status, not by curl's error.
  const bool answered = code == CURLE_OK || code == CURLE_RANGE_ERROR;
  if (!answered) fail("{}: {}", request.url, curl_easy_strerror(code));
  return transfer.response;
}

}  // namespace hone::io
